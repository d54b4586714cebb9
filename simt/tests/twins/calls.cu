/* Calls of the runtime, and what they are given: freed blocks, host arrays, variables, directions,
 * limits of launches, and results that nobody looks at. */
#include "cases.h"

struct pair { int n, a[10]; };

__device__ int variable[10], others[1000];
__constant__ double constants[4];
static int global[100];

__global__ void fill(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i; // BUG stale_large: bytes into freed memory: 67108864 bytes, allocated at
}
__global__ void __launch_bounds__(128) bounded(int *a)
{
    a[threadIdx.x + blockDim.x * threadIdx.y + 64 * threadIdx.z + 128 * blockIdx.x] = 1;
}
template <int n, class T> __global__ __launch_bounds__((n > 64 ? n : 64), 2) void generic(T *a)
{
    a[threadIdx.x] = n;
}
namespace {
__global__ void dynamic(int *a, int n)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = 1;
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x % n];
}
}
extern "C" __global__ void both(int *a)
{
    __shared__ double own[6000];
    extern __shared__ int s[];
    own[threadIdx.x] = s[threadIdx.x] = 1;
    __syncthreads();
    a[threadIdx.x] = (int)own[blockDim.x - 1 - threadIdx.x] + s[threadIdx.x];
}
/* An element of shared memory for each thread, if blocks and threads were not exchanged. */
__global__ void blocks_sum(const int *a, int *sums)
{
    extern __shared__ int s[];
    s[threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < blockDim.x; k++)
            sums[blockIdx.x] += s[k];
}
static void by_block(int *a, unsigned blocks, int threads, unsigned n)
{
    run<<<blocks, threads>>>([=] __device__(int i) {
        if (blockIdx.x < n && i == 0)
            a[blockIdx.x] = 1;
    });
}

/* The error is told, in words: so are notes on it. */
static int told(cudaError_t error) { return cudaGetErrorString(error) == NULL; }
static cudaError_t looked_at(cudaError_t error) { return error; }
static int *allocate(size_t bytes)
{
    int *p;
    return cudaMalloc(&p, bytes) == cudaSuccess ? p : NULL;
}

int main(int argc, char **argv)
{
    int *a = (int *)device(40000), *p, *q, local[100] = {}, rows[8][8] = {}, wrong = 0;
    size_t n = 100 + (argc > 2); /* which no compiler knows */
    const int direction = argc > 2 ? 0 : cudaMemcpyDeviceToHost;
    cudaError_t error = cudaSuccess;
    cudaFuncAttribute most = cudaFuncAttributeMaxDynamicSharedMemorySize;
    struct pair pair = {};

    /* ---- freed blocks ---- */
    CASE(stale_large, "out of bounds in global memory")
    {
        wrong += cudaFree(p = allocate(64 << 20)) != cudaSuccess;
        q = allocate(64 << 20);
        fill<<<1, 64>>>(p, 64), fill<<<1, 64>>>(q, 64);
    }
    CASE(copy_of_freed, "note: invalid pointer in a call")
    {
        wrong += cudaFree(p = allocate(400)) || !(q = allocate(400));
        wrong += told(cudaMemcpy(local, p + 3, 40, cudaMemcpyDeviceToHost)); // BUG: The source lies 12 bytes into freed
    }
    CASE(freed_twice, "error nobody looked at") { cudaFree(p = allocate(400)); cudaFree(p); } // BUG
    CASE(destroyed_twice, "error nobody looked at")
        { cudaEvent_t e; cudaEventCreate(&e); cudaEventDestroy(e); cudaEventDestroy(e); } // BUG
    CASE(freed_with_comma, "error nobody looked at")
        if (p = allocate(400), p) cudaFree(p), cudaFree(p); // BUG: bytes into freed memory of 400 bytes
    CASE(freed_inside, "note: invalid pointer in a call")
        wrong += told(cudaFree(a + 1)); // BUG: It lies 4 bytes past the start of an allocation of 40000
    CASE(freed_as_pinned, "note: invalid pointer in a call")
        wrong += told(cudaFreeHost(a)); // BUG: cudaFreeHost does not free such memory.
    CASE(fill_of_host, "note: invalid pointer in a call")
        wrong += told(cudaMemset(local, 0, 4)); // BUG: is host memory; it must be device memory.

    /* ---- host arrays ---- */
    CASE(local, "copy beyond a host array") /* says 364 bytes are written to an array of the host, */
        wrong += cudaMemcpy(local + 10, a, 4 * (n - 9), cudaMemcpyDeviceToHost) != cudaSuccess; // BUG
    CASE(read_from_local, "copy beyond a host array")
    {
        short here[100] = {};
        wrong += cudaMemcpy(a, here, 4 * n, cudaMemcpyHostToDevice) != cudaSuccess; // BUG
    }
    CASE(one_row_more, "copy beyond a host array")
    {
        cudaMemset(a, 1, 1024); /* nothing is copied */
        wrong += cudaMemcpy2D(rows, 32, a, 64, 32, 9, cudaMemcpyDeviceToHost) || rows[0][0]; // BUG
    }
    CASE(as_many_rows, "nothing")
    {
        p = (int *)calloc(4 * 64, 1);
        wrong += cudaMemcpy2D(a, 64, p, 64, 64, 4, cudaMemcpyHostToDevice) != cudaSuccess;
        wrong += cudaMemcpy2D(rows[2] + 3, 32, a, 64, 20, 6, cudaMemcpyDeviceToHost) || rows[7][7];
    }
    CASE(of_variable, "copy beyond a host array")
        wrong += cudaMemcpyFromSymbol(global, others, 4 * n + 4) != cudaSuccess; // BUG
    CASE(whole, "nothing")
    {
        wrong += cudaMemcpy(local, a, 4 * n, cudaMemcpyDeviceToHost) != cudaSuccess;
        wrong += cudaMemcpy(rows[7], a, 32, cudaMemcpyDeviceToHost) != cudaSuccess;
        wrong += cudaMemcpy(&pair.n, a, sizeof pair, cudaMemcpyDeviceToHost) != cudaSuccess;
        wrong += cudaMemcpy(pair.a, a, sizeof pair.a, cudaMemcpyDeviceToHost) != cudaSuccess;
        wrong += cudaMemcpyFromSymbol(local, others, 400) != cudaSuccess;
        wrong += cudaMemcpyFromSymbol(local, others, 40, 3960) != cudaSuccess;
    }

    /* ---- variables and directions ---- */
    CASE(variable_end, "note: copy that does not fit")
        wrong += told(cudaMemcpyFromSymbol(local, variable, 44)); // BUG: from byte 0 on are asked for; variable has 40.
    CASE(into_next_variable, "note: copy that does not fit")
    {
        wrong += cudaMemcpyToSymbol(variable, local, 4, 1064) != cudaErrorInvalidValue; // BUG
        wrong += told(cudaMemcpyToSymbol(constants, local, 4, sizeof constants)); // BUG
    }
    CASE(direction, "note: copy in the wrong direction") /* says It says cudaMemcpyDeviceToHost; but the */
        wrong += told(cudaMemcpy(a, local, 400, (cudaMemcpyKind)direction)); // BUG: that is cudaMemcpyHostToDevice.
    CASE(direction_pinned, "note: copy in the wrong direction") /* says It says cudaMemcpyHostToDevice; but the destination is host memory, the source */
        wrong += cudaMallocHost(&p, 400) || cudaMemcpy(p, a, 400, cudaMemcpyHostToDevice); // BUG: all the same
    CASE(directions, "nothing")
    {
        wrong += cudaMallocHost(&p, 400) || cudaMallocManaged(&q, 400);
        for (int kind = 0; kind < 5; kind++) /* both are the host's, and the device's */
            wrong += cudaMemcpy(p, q, 400, (cudaMemcpyKind)kind) != cudaSuccess;
        wrong += cudaMemcpyToSymbol(variable, p, 40) ||
                 cudaMemcpyFromSymbol(a, variable, 40, 0, cudaMemcpyDeviceToDevice);
        wrong += cudaMemcpyFromSymbol(a, variable, 40, 0, cudaMemcpyDefault) != cudaSuccess;
        wrong += cudaGetSymbolAddress((void **)&p, others) || cudaMemset(p, 0, sizeof others);
    }

    /* ---- limits of a launch ---- */
    CASE(too_many_for_bounds, "error nobody looked at")
        bounded<<<1, 129>>>(a); // BUG: 129 threads a block; the kernel has __launch_bounds__(128).
    CASE(no_depth, "error nobody looked at") bounded<<<dim3(1, 1, 0), 32>>>(a); // BUG: is impos
    CASE(square_for_bounds, "error nobody looked at") bounded<<<1, dim3(16, 16)>>>(a); // BUG
    CASE(generic_bounds, "error nobody looked at") generic<128><<<1, 256>>>(a); // BUG
    CASE(together, "error nobody looked at") both<<<1, 32, 2048>>>(a); // BUG
    CASE(of_another, "error nobody looked at")
    {
        wrong += cudaFuncSetAttribute(both, most, 50000);
        dynamic<<<1, 32, 50000>>>(a, 10); // BUG
    }
    CASE(too_much_of_both, "note: launch that the device refuses")
    {
        wrong += cudaFuncSetAttribute(both, most, 60000) != cudaErrorInvalidValue;
        both<<<1, 32, 60000>>>(a); // BUG: 108000 bytes of shared memory, 60000 of them dynamic, are more
        wrong += told(cudaGetLastError());
    }
    CASE(limits, "nothing")
    {
        bounded<<<3, 128>>>(a), bounded<<<3, dim3(8, 8, 2)>>>(a), generic<128><<<1, 128>>>(a);
        generic<64><<<1, 64>>>((float *)a), both<<<1, 32, 1152>>>(a);
        dynamic<<<1, 32, 49152>>>(a, 10);
        wrong += cudaFuncSetAttribute(dynamic, most, 98304);
        dynamic<<<1, 32, 98304>>>(a, 24576), dynamic<<<1, 32, 10000>>>(a, 10);
        void (*kernel)(int *) = bounded;
        kernel<<<1, 128>>>(a);
        wrong += cudaGetLastError() != cudaSuccess;
    }

    /* ---- results ---- */
    CASE(overwritten, "error nobody looked at")
    {
        error = cudaMemset(a, 0, 40001); // BUG
        fill<<<1, 64>>>(a, 64);
        error = cudaDeviceSynchronize();
        wrong += error != cudaSuccess;
    }
    CASE(first_of_two, "error nobody looked at")
    {
        (cudaFree(local)); // BUG
        fill<<<1, 2000>>>(a, 64); // BUG: threads, together 1024, and each at least 1.
    }
    CASE(results, "nothing")
    {
        error = ({ cudaFree(local); });
        wrong += error != cudaErrorInvalidValue;
        error = cudaMemset(a, 0, 40001);
        if (looked_at(error) == cudaSuccess)
            wrong++;
        (void)cudaFree(local);
        cudaFree(local), fill<<<1, 2000>>>(a, 64); /* of two the later one is the last */
        wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
        fill<<<1, dim3(1u << 16, 1u << 16)>>>(a, 64); /* 2^32; a success does not clear it */
        wrong += cudaSetDevice(0) || cudaGetLastError() != cudaErrorInvalidConfiguration;
        wrong += cudaFuncSetAttribute(dynamic, most, 65536);
        dynamic<<<1, 32, 65537>>>(a, 10), wrong += cudaGetLastError() != cudaErrorInvalidValue;
        wrong += cudaGetLastError() || cudaMemcpy(local, a, 400, cudaMemcpyDefault) || local[1];
        error = cudaMemset(a, 0, 40001);
        error = cudaGetLastError();
        wrong += error != cudaErrorInvalidValue;
    }

    /* ---- grid and block ---- */
    CASE(exchanged_grid, "note: many blocks of few threads")
        by_block(a, 512, 8, 100), fill<<<256, 4>>>(a, 1000); // says 256 blocks of 4 threads, of which 6 bl
    CASE(exchanged_one, "note: many blocks of few threads")
        fill<<<128, 1>>>(a, 100); // says 128 blocks of 1 thread, of which 28 blocks touched no memory.
    CASE(exchanged_sum, "note: many blocks of few threads")
        blocks_sum<<<256, 4, 1024>>>(a, a + 9000); // says 256 blocks of 4 threads.
    CASE(exchanged_too_far, "error nobody looked at") /* says Are grid and block exchanged? */
        fill<<<256, 4096>>>(a, 1000); // BUG: <<<256, 4096>>> is impossible: a grid has at most
    CASE(few_threads, "nothing")
    {
        fill<<<256, 4>>>(a, 1024), fill<<<4, 256>>>(a, 1000), fill<<<100, 1>>>(a, 100);
        by_block(a, 512, 1, 512), by_block(a, 512, 8, 100), fill<<<96, 96>>>(a, 9000);
        blocks_sum<<<4, 256, 1024>>>(a, a + 9000), blocks_sum<<<64, 16, 64>>>(a, a + 9000);
        fill<<<64, 31>>>(a, 10), fill<<<64, 32>>>(a, 2000), fill<<<32, dim3(16, 2)>>>(a, 0);
    }
    return finish(wrong);
}
