/* Exercise 12: a barrier in a branch.
 *
 * Each block adds up 512 elements in a tree, and adds its sum to sum[0]: the
 * sum of in[0 … n - 1]. Whoever has two elements adds them on the way into
 * shared memory; the last block also has threads with one, or with none.
 *
 * On most days the result is right, and always if n is a multiple of 512. But
 * somewhere threads of one block wait for each other in two places: the GPU
 * may go on too early, or never.
 *
 * Task: find it, and repair it. The kernel has no more barriers than before.
 *
 * Arrays: in, n elements; sum, one element. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid;

    if (i + BLOCK < n) {
        s[tid] = in[i] + in[i + BLOCK];
        __syncthreads();
    } else {
        s[tid] = i < n ? in[i] : 0;
        __syncthreads();
    }

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(sum, s[0]);
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sum = task_out(task, "sum");
    size_t n = task_size(task, "n");

    CHECK(cudaMemset(sum, 0, sizeof *sum));
    add_blocks<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(in, sum, n);
    CHECK(cudaGetLastError());
}
