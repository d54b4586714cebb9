/* Right: one product per thread, and twice as many blocks. */
#include "task.h"

#define BLOCK 256 /* threads per block */

/* The sum of x over a warp, in its lane 0. */
__device__ elem_t add_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    return x;
}

__global__ void add(const elem_t *a, const elem_t *b, elem_t *dot, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = i < n ? a[i] * b[i] : 0;

    x = add_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < 32)
        x = add_warp(tid < BLOCK / 32 ? s[tid] : 0);
    if (tid == 0)
        atomicAdd(dot, x);
}

void task_run(const struct task *task)
{
    const elem_t *a = task_in(task, "a"), *b = task_in(task, "b");
    elem_t *dot = task_out(task, "dot");
    size_t n = task_size(task, "n"), tile = BLOCK;

    CHECK(cudaMemset(dot, 0, sizeof *dot));
    add<<<(n + tile - 1) / tile, BLOCK>>>(a, b, dot, n);
    CHECK(cudaGetLastError());
}
