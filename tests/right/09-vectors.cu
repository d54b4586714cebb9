/* Right: each lane loads 16 bytes of a and of b at a time, and each warp adds its sum to the
 * result. */
#include "task.h"

#define WIDE (16 / sizeof(elem_t))
struct __align__(16) wide
{
    elem_t of[WIDE];
};

__device__ elem_t add_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2)
        x += __shfl_down_sync(0xffffffff, x, delta);
    return x;
}

__global__ void multiply(const elem_t *a, const elem_t *b, elem_t *dot, size_t n)
{
    size_t i = ((size_t)blockIdx.x * 128 + threadIdx.x) * WIDE;
    elem_t x = 0;

    if (i + WIDE <= n) {
        struct wide u = *(const struct wide *)(a + i), v = *(const struct wide *)(b + i);
        for (unsigned j = 0; j < WIDE; j++)
            x += u.of[j] * v.of[j];
    } else
        for (; i < n; i++)
            x += a[i] * b[i];
    x = add_warp(x);
    if (threadIdx.x % 32 == 0)
        atomicAdd(dot, x);
}

void task_run(const struct task *task)
{
    const elem_t *a = task_in(task, "a");
    const elem_t *b = task_in(task, "b");
    elem_t *dot = task_out(task, "dot");
    size_t n = task_size(task, "n");
    CHECK(cudaMemset(dot, 0, sizeof *dot));
    multiply<<<(n + 128 * WIDE - 1) / (128 * WIDE), 128>>>(a, b, dot, n);
    CHECK(cudaGetLastError());
}
