/* Exercise 04: halve the barriers.
 *
 * Each block adds up 256 elements in a tree, and adds its sum to sum[0]: the
 * sum of in[0 … n - 1].
 *
 * The result is right. But half of the threads load one element and never add
 * anything, and each of a block's nine barriers keeps all its eight warps
 * waiting.
 *
 * Task: half as many warps at barriers for the same elements. Let a thread
 * add two elements on the way in, before the tree begins, and launch half as
 * many blocks.
 *
 * Arrays: in, n elements; sum, one element. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : 0; /* FIXME */
    __syncthreads();

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
    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sum, n); /* FIXME */
    CHECK(cudaGetLastError());
}
