/* Exercise 20: a prefix sum.
 *
 * Each block takes a segment of 256 elements, and prefix[i] becomes the sum of
 * the segment's elements up to in[i]: after 3, 1, 4, 1 come 3, 4, 8, 9.
 *
 * The result is right. But each thread adds up all elements before its own,
 * from shared memory: the last one adds 256 of them, and its warp reads 256
 * times.
 *
 * Task: eight rounds instead, in which all threads add side by side. Before a
 * round with distance d each thread has the sum of the d elements that end
 * with its own, or all there are; after it, the sum of 2 * d. The distances
 * are 1, 2, 4, …, 128. From which thread does a thread need a sum?
 * Loads and stores stay coalesced.
 *
 * Arrays: in and prefix, n elements each. */
#include "task.h"

#define BLOCK 256 /* threads per block, elements of a segment */

__global__ void add_before(const elem_t *in, elem_t *prefix, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t sum = i < n ? in[i] : 0;

    s[tid] = sum;
    __syncthreads();

    for (unsigned d = 1; d < BLOCK; d *= 2) {
        if (tid >= d)
            sum += s[tid - d];
        __syncthreads(); /* all have read */
        s[tid] = sum;
        __syncthreads(); /* all have written */
    }

    if (i < n)
        prefix[i] = sum;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *prefix = task_out(task, "prefix");
    size_t n = task_size(task, "n");

    add_before<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, prefix, n);
    CHECK(cudaGetLastError());
}
