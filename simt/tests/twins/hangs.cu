/* Kernels that come to no end, and those that only look like it: blocks that wait for each other
 * all run at once, as far as the device holds them. */
#include "cases.h"
#include <ctime>

__device__ int arrived, lock, flag;
__device__ int ready[64];

/* ---- never: told where the threads are ---- */

__global__ void endless(int *p)
{
    if (threadIdx.x == 3)
        while (1); // BUG endless, endless_blocks
    __syncthreads(); // BUG endless, endless_blocks
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void forgotten_stride(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    for (unsigned stride = 32; stride > 0;) {
        if (threadIdx.x < stride)
            s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads(); // BUG stride
    }
    p[0] = s[0];
}
__global__ void plain_flag(int *p)
{
    while (flag == 0); // BUG plain
    p[threadIdx.x] = 1;
}
__global__ void volatile_flag(int *p)
{
    while (*(volatile int *)&flag == 0); // BUG volatile, volatile_blocks
    p[threadIdx.x] = 1;
}
__global__ void atomic_flag(int *p)
{
    while (atomicAdd(&flag, 0) == 0); // BUG atomic, atomic_blocks
    p[threadIdx.x] = 1;
}
__global__ void host_flag(volatile int *flag)
{
    while (*flag == 0); // BUG host
}
__global__ void raced_flag(int *raced)
{
    if (blockIdx.x == 1)
        *raced = 1; // BUG raced
    else if (*raced != 2) // BUG raced
        while (1);
}
__global__ void lock_kept(int *p, bool kept)
{
    while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20); // BUG lock, lock_blocks
    __threadfence();
    p[0]++;
    __threadfence();
    if (!kept || threadIdx.x != 5)
        atomicExch(&lock, 0);
}

/* Lanes that wait for each other. Each half of a warp has a mask that names a lane of the other. */
__global__ void masks(int *out, unsigned low, unsigned high)
{
    __shared__ int s[32];
    s[threadIdx.x] = threadIdx.x;
    __syncwarp(threadIdx.x < 16 ? low : high); // BUG masks
    out[threadIdx.x] = s[threadIdx.x ^ 15];
}

/* ---- they end ---- */

__global__ void gives_up(int *p)
{
    for (int i = 0; i < 20000; i++)
        if (atomicAdd(&flag, 0) != 0)
            p[0] = 1;
}
__global__ void waits_for_time(int *p)
{
    long long start = clock64();
    while (clock64() - start < CLOCKS_PER_SEC / 20 && atomicAdd(&flag, 0) == 0);
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* ---- grids that wait for themselves ---- */

__global__ void grid_barrier(int blocks)
{
    __syncthreads();
    if (threadIdx.x + threadIdx.y == 0) {
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < blocks); // BUG too_many, too_large, too_much
    }
    __syncthreads();
}
__global__ void turns_backwards(int *p)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x + 1 < gridDim.x)
        while (atomicAdd(&ready[blockIdx.x + 1], 0) == 0)
            __nanosleep(10);
    __threadfence();
    p[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? p[blockIdx.x + 1] + 1 : 1;
    __threadfence();
    atomicExch(&ready[blockIdx.x], 1);
}
__global__ void child(int *p) { *p = 1; }
#ifndef __NVCC__ /* which would need relocatable device code */
__device__ void helper(int *p) { child<<<1, 1>>>(p); } // BUG nested
__global__ void parent(int *p) { helper(p); }
#endif

int main(int, char **argv)
{
    int *p = (int *)device(1 << 16), *pinned;

    setvbuf(stdout, NULL, _IONBF, 0);
    puts("begin");
    CASE(endless, "endless loop") endless<<<1, 64>>>(p);
    CASE(endless_blocks, "endless loop") endless<<<3, 64>>>(p);
    CASE(stride, "endless loop") forgotten_stride<<<2, 64>>>(p);
    CASE(plain, "endless loop") plain_flag<<<2, 64>>>(p);
    CASE(host, "endless loop") cudaMallocHost(&pinned, 4), host_flag<<<1, 32>>>(pinned);
    CASE(raced, "race in global memory") raced_flag<<<2, 1>>>(p); // hangs
    CASE(volatile, "deadlock") volatile_flag<<<1, 64>>>(p);
    CASE(volatile_blocks, "deadlock") volatile_flag<<<3, 64>>>(p);
    CASE(atomic, "deadlock") atomic_flag<<<1, 64>>>(p);
    CASE(atomic_blocks, "deadlock") atomic_flag<<<7, 64>>>(p);
    CASE(lock, "deadlock") lock_kept<<<1, 64>>>(p, true);
    CASE(lock_blocks, "deadlock") lock_kept<<<4, 64>>>(p, true);
    CASE(masks, "deadlock") masks<<<1, 32>>>(p, 0x0001ffff, 0xffff8000);
    CASE(own_masks, "nothing") masks<<<1, 32>>>(p, 0x0000ffff, 0xffff0000);
#ifndef __NVCC__
    CASE(nested, "endless loop") parent<<<1, 1>>>(p);
#endif
    CASE(lock_freed, "nothing") lock_kept<<<3, 40>>>(p, false);
    CASE(gives_up, "nothing") gives_up<<<2, 3>>>(p);
    CASE(time, "nothing") waits_for_time<<<2, 3>>>(p);
    CASE(grid, "nothing") grid_barrier<<<dim3(9, 2), dim3(16, 2)>>>(18);
    CASE(backwards, "nothing")
    {
        turns_backwards<<<50, 32>>>(p);
        return differ(p, 50, [](int i) { return 50 - i; });
    }
    CASE(as_many, "nothing") grid_barrier<<<32, 64, 40000>>>(32);
    CASE(too_much, "deadlock of a grid that is too large") grid_barrier<<<33, 64, 40000>>>(33);
    CASE(too_many, "deadlock of a grid that is too large") grid_barrier<<<129, 256>>>(129);
    CASE(too_large, "deadlock of a grid that is too large")
        grid_barrier<<<dim3(40, 2), dim3(512, 2)>>>(80);
    int wrong = finish(0);
    puts("end");
    if (!strcmp(argv[1], "host_works"))
        for (time_t start = time(NULL); time(NULL) - start < 60;)
            ;
    return wrong;
}
