/* Right: a lambda as the operator, and as many launches as it takes. */
#include "task.h"

template <class Op> __device__ elem_t join_warp(elem_t x, Op op)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x = op(x, __shfl_down_sync(0xffffffff, x, delta));
    return x;
}

__global__ void reduce(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[32];
    size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;
    auto larger = [](elem_t a, elem_t b) { return a > b ? a : b; };
    elem_t x = join_warp(in[i < n ? i : 0], larger);

    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32)
        x = join_warp(s[threadIdx.x], larger);
    if (threadIdx.x == 0)
        out[blockIdx.x] = x;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *max = task_out(task, "max");
    size_t n = task_size(task, "n");

    for (elem_t *next; n > 0; in = next) {
        size_t blocks = (n + 1023) / 1024;
        CHECK(cudaMalloc(&next, blocks * sizeof *next));
        reduce<<<blocks, 1024>>>(in, next, n);
        CHECK(cudaGetLastError());
        n = blocks > 1 ? blocks : 0;
    }
    CHECK(cudaMemcpy(max, in, sizeof *max, cudaMemcpyDeviceToDevice));
}
