/* Copies of structures with padding, structures that functions take and return, and memset, memcpy
 * and memmove in kernels. */
#include "cases.h"
#include <cstring>

struct Short { int a; short b; };
typedef struct { double value; int index; } Best;

template <class T> __device__ void set(T &s);
template <> __device__ void set(Short &s) { s.a = 1, s.b = 2; }
template <> __device__ void set(Best &s) { s.value = 1, s.index = 2; }
/* Of 32, `written` are set; copied between shared memory, to global memory and to a variable. */
template <class T> __global__ void copy(T *out, unsigned written)
{
    __shared__ T s[32], r[32];
    unsigned t = threadIdx.x;

    if (t < written)
        set(s[t]);
    __syncthreads();
    r[t] = s[31 - t];
    out[t] = r[t];
    T own = s[t];
    memcpy(&r[t], &own, sizeof own);
    std::memcpy(&out[t], &r[t], sizeof(T));
}

__global__ void cleared(int *out, int bytes)
{
    __shared__ int s[64];
    if (threadIdx.x == 0)
        memset(s, 0, bytes);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void not_waited_for(int *out)
{
    __shared__ int s[64];
    if (threadIdx.x == 0)
        memset(s, 0, sizeof s);
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void moved(char *to, const char *from, int bytes)
{
    if (threadIdx.x == 0 && threadIdx.y == 0)
#ifdef __NVCC__
        memcpy(to + 1, from, bytes); /* nvcc has no memmove in kernels */
#else
        memmove(to + 1, from, bytes);
#endif
}

/* Each thread's own bytes of words that two share. */
__global__ void pieces(char *out)
{
    __shared__ char s[5 * 64];
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    memset(s + 5 * t, t, 5);
    memcpy(out + 5 * t, s + 5 * t, 5);
}

/* One byte of the neighbour's, in front of its own. */
__global__ void overlapping(char *out)
{
    unsigned t = threadIdx.x;
    memset(out + 5 * t, t, 6);
}

/* Best has 16 bytes and may lie at any multiple of 8; a processor stops at a float4 there. */
__global__ void quads(const float *in, float *out)
{
    ((float4 *)out)[threadIdx.x] = ((const float4 *)in)[threadIdx.x];
}

/* Nobody runs the constructor of what is shared. */
struct Zero {
    float x, y;
    __device__ Zero() : x(0), y(0) {}
};
__global__ void constructed(float *out, unsigned stored)
{
    __shared__ Zero s[64];
    __shared__ bool seen[64];
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    if (t < stored)
        s[t].x = t;
    seen[t] = true;
    __syncthreads();
    out[t] = s[63 - t].x + seen[63 - t];
}

__device__ __noinline__ double product(Best a, Best b) { return a.value * b.value + a.index; }
__global__ void tiles(const Best *in, double *out, bool waits)
{
    __shared__ Best tile[64];
    double sum = 0;
    for (int t = 0; t < 128; t += 64) {
        tile[threadIdx.x] = in[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 64; k++)
            sum += product(in[threadIdx.x], tile[k]);
        if (waits)
            __syncthreads();
    }
    out[threadIdx.x] = sum;
}
__device__ __noinline__ float4 made(int i) { return make_float4(i, 1, 2, 3); }
__device__ __noinline__ float total(float4 v) { return v.x + v.y * v.z + v.w; }
__global__ void take(const float4 *in, float *out) { out[threadIdx.x] = total(in[threadIdx.x]); }
__global__ void give(float4 *out) { out[threadIdx.x] = made(threadIdx.x); }

int main(int, char **argv)
{
    char *out = (char *)device(4096), host[64];
    memset(host, 1, sizeof host);
    memmove(host + 1, host, argv[1][0] % 60u);
    CASE(right, "nothing")
    {
        copy<<<1, 32>>>((Short *)out, 32);
        copy<<<1, 32>>>((Best *)out, 32);
        cleared<<<1, 64>>>((int *)out, 256);
        moved<<<1, dim3(4, 4)>>>(out, out, 4095);
        pieces<<<1, dim3(16, 4)>>>(out);
        tiles<<<1, 64>>>((Best *)out, (double *)out + 256, true);
        give<<<1, 64>>>((float4 *)out), take<<<1, 64>>>((float4 *)out, (float *)out + 256);
    }
    CASE(tiles, "race in shared memory") tiles<<<1, 64>>>((Best *)out, (double *)out + 256, false);
    CASE(takes_too_much, "out of bounds in global memory")
        take<<<1, 65>>>((float4 *)out + 192, (float *)out);
    CASE(gives_too_much, "out of bounds in global memory") give<<<1, 65>>>((float4 *)out + 192);
    CASE(quads, "nothing")
    {
        quads<<<1, 32>>>((float *)out + 4, (float *)out + 512);
        copy<<<1, 32>>>((Best *)(out + 8), 32);
    }
    CASE(quads_read, "misaligned access") quads<<<1, 32>>>((float *)out + 514, (float *)out);
    CASE(short, "uninitialised shared memory") copy<<<1, 32>>>((Short *)out, 31);
    CASE(cleared, "uninitialised shared memory") cleared<<<1, 64>>>((int *)out, 252);
    CASE(past, "out of bounds in shared memory") cleared<<<1, 64>>>((int *)out, 30000);
    CASE(constructed, "nothing") constructed<<<1, 64>>>((float *)out, 64);
    CASE(constructed_in_part, "uninitialised shared memory")
        constructed<<<1, 64>>>((float *)out, 63);
    CASE(moved, "out of bounds in global memory") moved<<<1, 32>>>(out, out, 4096);
    CASE(before, "out of bounds in global memory") moved<<<1, 32>>>(out, out - 1, 8);
    CASE(host_memory, "host pointer in a kernel") moved<<<1, 32>>>(out, host, 8);
    CASE(race, "race in shared memory") not_waited_for<<<1, 64>>>((int *)out);
    CASE(overlap, "race in global memory") overlapping<<<1, 32>>>(out);
    CASE(on_the_host, "device pointer on the host") memset(out, 0, 64);
    CASE(from_the_host, "device pointer on the host") memcpy(host, out, argv[1][0] % 60u);
    return finish(0);
}
