/* Right: a loop over the grid by blocks of 128 threads, and a second launch of one warp. */
#include "task.h"

__device__ elem_t add_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    return x;
}

__global__ void add(const elem_t *in, elem_t *part, size_t n)
{
    __shared__ elem_t s[4];
    unsigned tid = threadIdx.x;
    elem_t x = 0;

    for (size_t i = (size_t)blockIdx.x * 128 + tid; i < n; i += gridDim.x * 128)
        x += in[i];
    x = add_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();
    if (tid == 0)
        part[blockIdx.x] = s[0] + s[1] + s[2] + s[3];
}

__global__ void add_parts(const elem_t *part, elem_t *sum, size_t parts)
{
    elem_t x = 0;

    for (size_t i = threadIdx.x; i < parts; i += 32)
        x += part[i];
    x = add_warp(x);
    if (threadIdx.x == 0)
        *sum = x;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sum = task_out(task, "sum");
    size_t n = task_size(task, "n");
    elem_t *part = task_work(task, "partial");
    size_t blocks = (n + 4095) / 4096;

    add<<<blocks, 128>>>(in, part, n);
    add_parts<<<1, 32>>>(part, sum, blocks);
    CHECK(cudaGetLastError());
}
