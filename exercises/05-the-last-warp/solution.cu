/* Exercise 05: the last warp.
 *
 * Each block adds up 512 elements, and adds its sum to sum[0]: the sum of
 * in[0 … n - 1].
 *
 * The result is right. But in the last six rounds only the first warp has
 * work, and yet all eight warps meet at a barrier after each of them.
 *
 * Task: stop the loop when 64 sums are left, and let the first warp add these
 * alone, without __syncthreads(). Its lanes do not run in lockstep: what one
 * has written another may read only after a __syncwarp().
 *
 * Arrays: in, n elements; sum, one element. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid;
    elem_t first = i < n ? in[i] : 0;

    if (i + BLOCK < n)
        first += in[i + BLOCK];
    s[tid] = first;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 32; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid < 32) {
        for (unsigned stride = 32; stride > 0; stride /= 2) {
            if (tid < stride)
                s[tid] += s[tid + stride];
            __syncwarp();
        }
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
