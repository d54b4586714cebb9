/* Exercise 21: which block size?
 *
 * total[0] becomes the sum of in[0 … n - 1]. A thread loads one element, a
 * block adds up its elements in a tree, and adds its sum to the total.
 *
 * The result is right. But a block of 1024 threads is not the best one.
 *
 * Task: choose BLOCK, a power of two from 32 to 1024, and change nothing else.
 * Three counters decide:
 *     at n = 100       threads that are launched: at most 256
 *     at n = 5000      warps at barriers, per 32 elements: at most 8.7
 *     at n = 100000    atomics on global memory: at most 1000
 * Work out all three for each BLOCK, on paper, before you try one.
 *
 * Arrays: in, n elements; total, one element. */
#include "task.h"

#define BLOCK 128 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *total, size_t n)
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
        atomicAdd(total, s[0]);
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *total = task_out(task, "total");
    size_t n = task_size(task, "n");

    CHECK(cudaMemset(total, 0, sizeof *total));
    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, total, n);
    CHECK(cudaGetLastError());
}
