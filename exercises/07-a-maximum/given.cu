/* Exercise 07: a maximum instead of a sum.
 *
 * Each block adds up what its threads have loaded, and stores its sum; a
 * second launch, of one block, adds up the blocks' sums. So no thread needs an
 * atomic: CUDA has none for the maximum of floats.
 *
 * The program computes the sum of in[0 … n - 1]; it should find the largest.
 *
 * Task: make it the maximum. What joins two values? What does a thread begin
 * with, and what has a lane for which there is no value? All elements may be
 * negative, and floats may be far below every int. Threads still join their
 * values in trees, not one after the other by atomics. All warps still load.
 *
 * Arrays: in, n elements; max, one element; to work with: maxima, one element
 * for each 2048 of in. */
#include "task.h"

#define BLOCK 256  /* threads per block */
#define TILE  2048 /* elements per block, in the first launch */

/* The sum of x over a warp, in its lane 0. */
__device__ elem_t join_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta); /* FIXME */
    return x;
}

/* Every block leaves one result in out. */
__global__ void reduce(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t step = (size_t)gridDim.x * BLOCK;
    elem_t x = 0; /* FIXME */

    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += step)
        x += in[i]; /* FIXME */

    x = join_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < 32) {
        x = join_warp(tid < BLOCK / 32 ? s[tid] : 0); /* FIXME */
        if (tid == 0)
            out[blockIdx.x] = x;
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *max = task_out(task, "max"), *maxima = task_work(task, "maxima");
    size_t n = task_size(task, "n"), blocks = (n + TILE - 1) / TILE;

    reduce<<<blocks, BLOCK>>>(in, maxima, n);
    CHECK(cudaGetLastError());
    reduce<<<1, BLOCK>>>(maxima, max, blocks);
    CHECK(cudaGetLastError());
}
