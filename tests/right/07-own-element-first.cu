/* Right: each thread begins with an element of its own, which it loads twice. */
#include "task.h"

#define BLOCK 256  /* threads a block */
#define TILE  2048 /* elements a block, in the first launch */

/* The sum of x over a warp, in its lane 0. */
__device__ elem_t join_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x = max(x, __shfl_xor_sync(0xffffffff, x, delta));
    return x;
}

/* Every block leaves one result in out. */
__global__ void reduce(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t step = (size_t)gridDim.x * BLOCK;
    size_t me = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = in[me < n ? me : n - 1];

    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += step) {
        if (x < in[i])
            x = in[i];
    }

    x = join_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < 32) {
        x = join_warp(s[tid & 7]);
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
