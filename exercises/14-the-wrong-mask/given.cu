/* Exercise 14: a shuffle with the wrong mask.
 *
 * A block adds up 256 elements with shuffles: each warp its own 32, then the
 * first warp the eight warps' sums. totals[b] becomes the sum of in[256 * b …
 * 256 * b + 255]. The last block may have fewer elements.
 *
 * On most days the result is right. But somewhere a shuffle's mask names lanes
 * that do not call it: its result is undefined, and a GPU may wait for ever.
 *
 * Task: find it, and repair it. A mask names every lane that calls and every
 * lane that is read. The block still adds with shuffles, and one barrier is
 * still enough. All warps still load their share.
 *
 * Arrays: in, n elements; totals, one element for each 256. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *totals, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = i < n ? in[i] : 0;

    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < BLOCK / 32) {
        x = s[tid];
        for (unsigned delta = BLOCK / 64; delta > 0; delta /= 2)
            x += __shfl_down_sync(0xffffffff, x, delta);
    }

    if (tid == 0)
        totals[blockIdx.x] = x;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *totals = task_out(task, "totals");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, totals, n);
    CHECK(cudaGetLastError());
}
