/* Kernels that come to no end, and those that only look like it: blocks that wait for each other
 * all run at once, as far as the device holds them. */
#include "cases.h"
#include <ctime>
#include <thread>

__device__ int arrived, lock, flag;
__device__ int ready[64];

/* ---- never: told where the threads are ---- */

__global__ void endless(int *p)
{
    if (threadIdx.x == 3)
        while (1); // BUG endless
    __syncthreads(); // BUG endless
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
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
__global__ void look_at_all(int *flags, bool all)
{
    if (blockIdx.x != 31 || all) atomicExch(&flags[blockIdx.x], 1);
    for (unsigned b = 0; b < gridDim.x; b++)
        if (atomicAdd(&flags[b], 0) == 0) b = -1u; // BUG looks_at_all
}
__global__ void lock_kept(int *p, bool kept)
{
    while (atomicCAS(&lock, 0, 1) != 0) kept ? __nanosleep(20) : (void)atomicAdd(&flag, 1); // BUG lock, lock_blocks
    __threadfence();
    p[0]++;
    __threadfence();
    if (!kept || threadIdx.x != 5)
        atomicExch(&lock, 0);
}

/* Right where the host will write, though it cannot run here. */
__global__ void serve(volatile int *request)
{
    while (*request == 0) __nanosleep(20); // BUG serves_nobody
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
#ifdef SIMT_INLINE /* not nvcc, which would need relocatable device code */
__global__ void child(int *p) { *p = 1; }
__device__ void helper(int *p) { child<<<1, 1>>>(p); } // BUG nested: kernel parent launches kernel child (
__global__ void parent(int *p) { helper(p); }
#endif

int main(int, char **argv)
{
    int *p = (int *)device(1 << 16), *pinned, zero = 0;

    setvbuf(stdout, NULL, _IONBF, 0);
    puts("begin");
    CASE(endless, "endless loop") endless<<<1, 64>>>(p);
    CASE(stride, "endless loop") /* says for 1 s no thread has ended (SIMT_WATCHDOG=0 waits for ever) */
    run<<<2, 64>>>([=] __device__(int t) {
        __shared__ int s[64];
        s[t] = 1;
        __syncthreads();
        for (int stride = 32; stride > zero;) {
            if (t < stride)
                s[t] += s[t + stride];
            __syncthreads(); // BUG
        }
        p[0] = s[0];
    });
    CASE(plain, "endless loop")
    run<<<2, 64>>>([=] __device__(int t) {
        while (flag == 0); // BUG
        p[t] = 1;
    });
    CASE(host, "endless loop")
    {
        cudaMallocManaged(&pinned, 4); // whose looks by atomics are no writes
        DO(32, while (atomicAdd(pinned, 0) == 0)); // BUG: waits for the host to write
    }
    CASE(serves, "not judged") /* says kernel serve waits for the host to write */
    {
        cudaMallocHost(&pinned, 64);
        memset(pinned, 0, 64);
        serve<<<1, 2>>>(pinned + 2);
        std::thread([=] { *(volatile int *)&pinned[2] = 1; }).join();
    }
    CASE(serves_nobody, "deadlock") /* says waits for byte 8 of an allocation of 64 bytes */
        serve<<<1, 2>>>((int *)device(64) + 2);
    CASE(raced, "race in global memory") // hangs
    run<<<2, 1>>>([=] __device__(int) {
        if (blockIdx.x == 1)
            *p = 1; // BUG
        else if (*p != 2) // BUG
            while (1);
    });
    CASE(volatile, "deadlock") volatile_flag<<<1, 64>>>(p);
    CASE(volatile_blocks, "deadlock") /* says They poll words that no thread will ever change: */
        volatile_flag<<<3, 64>>>(p);
    CASE(atomic, "deadlock") atomic_flag<<<1, 64>>>(p); // says Thread 0 of block 0 waits for byte 0 of f
    CASE(atomic_blocks, "deadlock") atomic_flag<<<7, 64>>>(p);
    TWINS(looks_at_all, "deadlock") /* says looks at several words, at last at byte */
        look_at_all<<<33, 1>>>((int *)device(132), right);
    CASE(lock, "deadlock") lock_kept<<<1, 64>>>(p, true);
    CASE(lock_blocks, "deadlock") lock_kept<<<4, 64>>>(p, true); // says which thread 5 of block
    /* Lanes wait for each other: each half of a warp has a mask that names a lane of the other. */
    TWINS(masks, "deadlock")
    run<<<1, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        unsigned low = right ? 0x0000ffff : 0x0001ffff, high = right ? 0xffff0000 : 0xffff8000;
        s[t] = t;
        __syncwarp(t < 16 ? low : high); // BUG: 16 threads wait at __syncwarp, mask 0x0001ffff (
        p[t] = s[t ^ 15];
    });
#ifdef SIMT_INLINE
    CASE(nested, "not judged") parent<<<1, 1>>>(p);
#endif

    /* ---- they end ---- */
    CASE(lock_freed, "nothing") lock_kept<<<3, 40>>>(p, false); // whose threads count while they wait
    CASE(gives_up, "nothing")
    run<<<2, 3>>>([=] __device__(int) {
        for (int i = 0; i < 20000; i++)
            if (atomicAdd(&flag, 0) != 0)
                p[0] = 1;
    });
    CASE(time, "nothing")
    run<<<2, 3>>>([=] __device__(int t) {
        long long start = clock64();
        while (clock64() - start < CLOCKS_PER_SEC / 20 && atomicAdd(&flag, 0) == 0);
        p[blockIdx.x * blockDim.x + t] = 1;
    });
    CASE(vote_waits, "nothing") /* in loops that always meet at something, too, others have a turn */
    run<<<2, 64>>>([=] __device__(int t) {
        if (blockIdx.x == 0)
            while (!__any_sync(~0u, atomicAdd(&flag, 0) == 64));
        else
            atomicAdd(&flag, 1);
        p[64 * blockIdx.x + t] = 1;
    });
    CASE(barrier_waits, "nothing")
    run<<<5, 64>>>([=] __device__(int t) {
        for (bool done = blockIdx.x == 4 && atomicAdd(&flag, 1) >= 0; !done;)
            done = __syncthreads_or(t == 0 && atomicAdd(&flag, 0) == 64);
        p[64 * blockIdx.x + t] = 1;
    });
    CASE(grid, "nothing") grid_barrier<<<dim3(9, 2), dim3(16, 2)>>>(18);
    CASE(backwards, "nothing")
    {
        run<<<50, 1>>>([=] __device__(int) {
            if (blockIdx.x + 1 < gridDim.x)
                while (atomicAdd(&ready[blockIdx.x + 1], 0) == 0)
                    __nanosleep(10);
            __threadfence();
            p[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? p[blockIdx.x + 1] + 1 : 1;
            __threadfence();
            atomicExch(&ready[blockIdx.x], 1);
        });
        return differ(p, 50, [](int i) { return 50 - i; });
    }
    CASE(as_many, "nothing") grid_barrier<<<32, 64, 40000>>>(32);
    CASE(too_much, "deadlock of a grid that is too large") /* says holds 32 blocks at once, but */
        grid_barrier<<<33, 64, 40000>>>(33);
    CASE(too_many, "deadlock of a grid that is too large") /* says at once, but there are 129: */
        grid_barrier<<<129, 256>>>(129);
    CASE(too_large, "deadlock of a grid that is too large") grid_barrier<<<dim3(40, 2), dim3(512, 2)>>>(80);
    if (!strcmp(argv[1], "race_before"))
        DO(64, *p = i);
    int wrong = finish(0);
    puts("end");
    if (!strcmp(argv[1], "host_works") || !strcmp(argv[1], "race_before"))
        for (time_t start = time(NULL); time(NULL) - start < 60;)
            ;
    return wrong;
}
