/* Right: a loop over the grid, and a second launch that adds up the sums of all blocks. */
#include "task.h"

__device__ elem_t add_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    return x;
}

__device__ elem_t add_block(elem_t x)
{
    __shared__ elem_t s[32];

    x = add_warp(x);
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x;
    __syncthreads();
    return threadIdx.x < 32 ? add_warp(s[threadIdx.x]) : 0;
}

__global__ void multiply(const elem_t *a, const elem_t *b, elem_t *parts, size_t n)
{
    elem_t x = 0;

    for (size_t i = blockIdx.x * 1024 + threadIdx.x; i < n; i += gridDim.x * 1024)
        x += a[i] * b[i];
    x = add_block(x);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = x;
}

__global__ void add(const elem_t *parts, unsigned count, elem_t *dot)
{
    elem_t x = add_block(threadIdx.x < count ? parts[threadIdx.x] : 0);

    if (threadIdx.x == 0)
        *dot = x;
}

void task_run(const struct task *task)
{
    const elem_t *a = task_in(task, "a");
    const elem_t *b = task_in(task, "b");
    elem_t *dot = task_out(task, "dot");
    size_t n = task_size(task, "n");
    elem_t *parts = task_work(task, "products");
    unsigned blocks = n < 1024 * 20 ? (unsigned)(n + 1023) / 1024 : 20;

    multiply<<<blocks, 1024>>>(a, b, parts, n);
    add<<<1, 1024>>>(parts, blocks, dot);
    CHECK(cudaGetLastError());
}
