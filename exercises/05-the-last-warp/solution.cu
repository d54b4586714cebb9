/* Exercise 05: the last warp.
 *
 * A block of 96 threads adds up 96 elements in a tree: sums[b] becomes the sum
 * of in[96 * b … 96 * b + 95]; the last block may have fewer. A round leaves
 * 48, 24, 12, 6, 3, 2 and 1 sums: where their number is odd, the middle one
 * waits for the next round.
 *
 * The result is right. But from the second round on only the first warp has
 * work, and yet all three warps meet at a barrier after each round.
 *
 * Task: in the rounds where only the first warp works, __syncwarp() instead
 * of __syncthreads(). The lanes of a warp need not run in lockstep: what one
 * has written another may read only after a __syncwarp(). Blocks keep their
 * 96 threads, and each of them loads its element.
 *
 * Arrays: in, n elements; sums, one element for each 96. */
#include "task.h"

#define BLOCK 96 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    if (tid < BLOCK / 2)
        s[tid] += s[tid + BLOCK / 2];
    __syncthreads();

    if (tid < 32) {
        for (unsigned left = BLOCK / 2; left > 1;) {
            unsigned half = (left + 1) / 2; /* sums left after this round */
            if (tid < left - half)
                s[tid] += s[tid + half];
            __syncwarp();
            left = half;
        }
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
