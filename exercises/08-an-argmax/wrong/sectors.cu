/* Refused: looks for the maximum again, and loads all of it. */
#include "task.h"

#define BLOCK 256  /* threads per block */
#define TILE  2048 /* elements per block, in the first launch */

/* The largest x of a warp, in its lane 0. */
__device__ elem_t join_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        elem_t other = __shfl_down_sync(0xffffffff, x, delta);
        x = other > x ? other : x;
    }
    return x;
}

/* Every block leaves one value. */
__global__ void find(const elem_t *in, elem_t *max, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t step = (size_t)gridDim.x * BLOCK;
    elem_t x = in[0]; /* one more of these changes no maximum */

    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += step)
        x = in[i] > x ? in[i] : x;

    x = join_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < 32)
        x = join_warp(s[tid % (BLOCK / 32)]);
    if (tid == 0)
        max[blockIdx.x] = x;
}

__global__ void find_again(const elem_t *in, const elem_t *max, int *at, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n && in[i] == *max)
        atomicMin(at, (int)i);
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *max = task_out(task, "max"), *maxima = task_work(task, "maxima");
    int *at = task_out_int(task, "at");
    int *places = (int *)task_array(task, "places", TASK_WORK, sizeof *places);
    size_t n = task_size(task, "n"), blocks = (n + TILE - 1) / TILE;

    (void)places;
    CHECK(cudaMemset(at, 0x7f, sizeof *at));
    find<<<blocks, BLOCK>>>(in, maxima, n);
    CHECK(cudaGetLastError());
    find<<<1, BLOCK>>>(maxima, max, blocks);
    CHECK(cudaGetLastError());
    find_again<<<(n + 255) / 256, 256>>>(in, max, at, n);
}
