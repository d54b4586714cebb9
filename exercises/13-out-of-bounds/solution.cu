/* Exercise 13: out of bounds at n = 1000.
 *
 * A block adds up 256 elements in a tree, leaving out what lies behind the
 * last element: parts[b] becomes the sum of in[256 * b … 256 * b + 255].
 *
 * The result is right, for every n. But at n = 1000 the kernel reads memory
 * that is not its own. A GPU may stop the kernel with an error, or not notice.
 *
 * Task: find it, and repair it. Each element is loaded once, and all threads
 * that have one load side by side, in the last block, too. They still add in a
 * tree, not by atomics, which come one after the other.
 *
 * Arrays: in, n elements; parts, one element for each 256. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *parts, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        parts[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *parts = task_out(task, "parts");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, parts, n);
    CHECK(cudaGetLastError());
}
