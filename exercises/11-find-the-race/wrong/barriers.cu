/* Barriers wherever there is room, until nothing is found. */
#include "task.h"

#define BLOCK 256 /* threads per block */
#define TILES 8   /* that a block adds up */

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

        __syncthreads();
        if (lane == 0)
            s[warp] = x;
        __syncthreads();

        if (warp == 0)
            total += add_warp(lane < BLOCK / 32 ? s[lane] : 0);
        __syncthreads();
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
