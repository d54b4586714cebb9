/* Exercise 09: a dot product.
 *
 * dot[0] is a[0] * b[0] + … + a[n - 1] * b[n - 1]. One kernel multiplies, a
 * second one adds up the products, 512 a block.
 *
 * The result is right. But all products go to memory and come back again,
 * only to be added.
 *
 * Task: multiply where you add: each element of a and b is loaded once, and no
 * product is stored. The loads stay coalesced, and all warps have their share.
 *
 * Arrays: a and b, n elements each; dot, one element; to work with: products,
 * n elements, which nobody needs in the end. */
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
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid;
    elem_t x = i < n ? a[i] * b[i] : 0;

    if (i + BLOCK < n)
        x += a[i + BLOCK] * b[i + BLOCK];
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
    size_t n = task_size(task, "n"), tile = 2 * BLOCK;

    CHECK(cudaMemset(dot, 0, sizeof *dot));
    add<<<(n + tile - 1) / tile, BLOCK>>>(a, b, dot, n);
    CHECK(cudaGetLastError());
}
