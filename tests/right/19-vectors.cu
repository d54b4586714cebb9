/* Right: each lane loads 16 bytes at a time, and each block of 1024 threads has 16384 elements. */
#include "task.h"

#define BLOCK 1024
#define TILE  16384

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

__global__ void add_tiles(const elem_t *in, elem_t *sum, size_t n)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 16384;
    elem_t x = 0;

    for (unsigned k = 0; k < 16; k += WIDE) {
        size_t i = first + k * 1024 + tid * WIDE;
        if (i + WIDE <= n) {
            struct wide v = *(const struct wide *)(in + i);
            for (unsigned j = 0; j < WIDE; j++)
                x += v.of[j];
        } else
            for (size_t end = i + WIDE < n ? i + WIDE : n; i < end; i++)
                x += in[i];
    }
    x = add_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();
    if (tid < 32)
        x = add_warp(s[tid]);
    if (tid == 0)
        atomicAdd(sum, x);
}
