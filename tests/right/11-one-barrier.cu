/* Right: a word for each warp and tile: one barrier for all tiles. */
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
    __shared__ elem_t s[TILES][BLOCK / 32];
    unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    size_t first = (size_t)blockIdx.x * TILES * BLOCK;
    size_t end = first + TILES * BLOCK < n ? first + TILES * BLOCK : n;
    elem_t total = 0;

    for (size_t tile = first; tile < end; tile += BLOCK) {
        elem_t x = add_warp(tile + tid < n ? in[tile + tid] : 0);

        if (lane == 0)
            s[(tile - first) / BLOCK][warp] = x;
    }
    __syncthreads();

    if (warp == 0) {
        for (size_t tile = first; tile < end; tile += BLOCK)
            total += add_warp(lane < BLOCK / 32 ? s[(tile - first) / BLOCK][lane] : 0);
        if (tid == 0)
            sums[blockIdx.x] = total;
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t n = task_size(task, "n"), tile = TILES * BLOCK;

    add_tiles<<<(n + tile - 1) / tile, BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
