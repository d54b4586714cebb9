/* Exercise 11: find the race.
 *
 * Each block adds up 2048 elements in tiles of 256, one after the other:
 * sums[b] becomes the sum of in[2048 * b … 2048 * b + 2047]. The last block
 * may have fewer elements.
 *
 * On most days the result is right. But two threads use the same word, and
 * nothing says which one comes first: on a busy GPU a sum may be wrong.
 *
 * Task: find the two lines and the two threads. Repair the program with as
 * few barriers as possible. It stays one launch, all warps still load their
 * share, and no element is added by an atomic of its own.
 *
 * Arrays: in, n elements; sums, one element for each 2048. */
#include "task.h"

#define BLOCK 256            /* threads per block */
#define TILES (2048 / BLOCK) /* that a block adds up */

/* The sum of x over a warp, in its lane 0. */
__device__ elem_t add_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    return x;
}

__global__ void add_tiles(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t first = (size_t)blockIdx.x * TILES * BLOCK;
    size_t end = first + TILES * BLOCK < n ? first + TILES * BLOCK : n;
    elem_t total = 0;

    for (size_t tile = first; tile < end; tile += BLOCK) {
        elem_t x = add_warp(tile + tid < n ? in[tile + tid] : 0);

        if (lane == 0)
            s[warp] = x;
        __syncthreads();

        if (warp == 0)
            total += add_warp(lane < BLOCK / 32 ? s[lane] : 0);
    }

    if (tid == 0)
        sums[blockIdx.x] = total;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t n = task_size(task, "n"), tile = TILES * BLOCK;

    add_tiles<<<(n + tile - 1) / tile, BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
