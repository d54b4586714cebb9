/* Exercise 06: the shuffle.
 *
 * Each block adds up 512 elements, and adds its sum to sum[0]: the sum of
 * in[0 … n - 1].
 *
 * The result is right. But every round of the tree goes through shared
 * memory: store, wait, load.
 *
 * Task: let the lanes of a warp hand their registers to each other. With
 * __shfl_down_sync() each warp adds up its 32 sums; the eight warps' sums go
 * through shared memory, once; the first warp adds these up in the same way.
 * One barrier is enough.
 *
 * Arrays: in, n elements; sum, one element. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid;
    elem_t first = i < n ? in[i] : 0;

    if (i + BLOCK < n)
        first += in[i + BLOCK];
    for (unsigned delta = 16; delta > 0; delta /= 2)
        first += __shfl_down_sync(0xffffffff, first, delta);
    if (tid % 32 == 0)
        s[tid / 32] = first;
    __syncthreads();

    if (tid < 32) {
        first = tid < BLOCK / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            first += __shfl_down_sync(0xffffffff, first, delta);
    }

    if (tid == 0)
        atomicAdd(sum, first);
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
