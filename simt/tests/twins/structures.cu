/* Copies of structures with padding, structures that functions take and return, and memset, memcpy
 * and memmove in kernels. */
#include "cases.h"
#include <cstring>

struct Short { int a; short b; };
typedef struct { double value; int index; } Best;
struct __align__(4) Tiny { short a; char b; };
struct Bits { unsigned low : 4, high : 28; };
struct Zero { /* nobody runs the constructor of what is shared */
    float x, y;
    __device__ Zero() : x(0), y(0) {}
};

__device__ void set(Short &s) { s.a = 1, s.b = 2; }
__device__ void set(Tiny &s) { s.a = 1, s.b = 2; }
__device__ void set(Best &s) { s.value = 1, s.index = 2; }
/* Of 32, `written` are set; copied between shared memory, to global memory and to a variable. */
template <class T> static void copy(T *out, int written)
{
    run<<<1, 32>>>([=] __device__(int t) {
        __shared__ T s[32], r[32];
        if (t < written)
            set(s[t]);
        __syncthreads();
        r[t] = s[31 - t]; // BUG short
        out[t] = r[t];
        T own = s[t]; // BUG short
        memcpy(&r[t], &own, sizeof own);
        std::memcpy(&out[t], &r[t], sizeof(T)); // BUG short
    });
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
static void cleared(int *out, int bytes)
{
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ int s[64];
        if (t == 0)
            memset(s, 0, bytes); // BUG past
        __syncthreads();
        out[t] = s[t]; // BUG cleared x1
    });
}
__device__ __noinline__ double product(Best a, Best b) { return a.value * b.value + a.index; }
__device__ __noinline__ float4 made(int i) { return make_float4(i, 1, 2, 3); }
__device__ __noinline__ float total(float4 v) { return v.x + v.y * v.z + v.w; }

int main(int, char **argv)
{
    char *out = (char *)device(4096), host[64];
    int *ints = (int *)out;
    float *floats = (float *)out;
    float4 *fours = (float4 *)out;
    Best *best = (Best *)out;
    memset(host, 1, sizeof host);
    memmove(host + 1, host, argv[1][0] % 60u);

    CASE(right, "nothing")
    {
        copy((Short *)out, 32), copy(best, 32), copy((Best *)(out + 8), 32), copy((Tiny *)out, 32);
        cleared(ints, 256), moved<<<1, dim3(4, 4)>>>(out, out, 4095);
        DO(64, fours[i] = made(i)), DO(64, floats[256 + i] = total(fours[i]));
    }
    CASE(pieces, "nothing") /* each thread's own bytes of words that two share */
    run<<<1, dim3(16, 4)>>>([=] __device__(int t) {
        __shared__ char s[5 * 64];
        memset(s + 5 * t, t, 5);
        memcpy(out + 5 * t, s + 5 * t, 5);
    });
    TWINS(tiles, "race in shared memory")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ Best tile[64];
        double sum = 0;
        for (int k = 0; k < 128; k++) {
            if (k % 64 == 0) {
                tile[t] = best[k + t]; // BUG
                __syncthreads();
            }
            sum += product(best[t], tile[k % 64]); // BUG
            if (right && k % 64 == 63)
                __syncthreads();
        }
        ((double *)out)[256 + t] = sum;
    });
    CASE(takes_too_much, "out of bounds in global memory")
        DO(65, out[i] = total(fours[192 + i])); // BUG
    CASE(gives_too_much, "out of bounds in global memory") DO(65, fours[192 + i] = made(i)); // BUG
    /* Best has 16 bytes and may lie at any multiple of 8; a processor stops at a float4 there. */
    CASE(quads, "nothing") DO(32, *(float4 *)(floats + 512 + 4 * i) = *(float4 *)(floats + 4 + 4 * i));
    CASE(quads_read, "misaligned access") DO(32, fours[i] = ((float4 *)(floats + 514))[i]); // BUG
    CASE(short, "uninitialised shared memory") copy((Short *)out, 31);
    CASE(cleared, "uninitialised shared memory") cleared(ints, 252);
    CASE(past, "out of bounds in shared memory") cleared(ints, 30000);
    TWINS(constructed, "uninitialised shared memory")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ Zero s[64];
        __shared__ bool seen[64];
        if (t < (right ? 64 : 63))
            s[t].x = t;
        seen[t] = true;
        __syncthreads();
        floats[t] = s[63 - t].x + seen[63 - t]; // BUG x1
    });
    CASE(moved, "out of bounds in global memory") moved<<<1, 32>>>(out, out, 4096);
    CASE(before, "out of bounds in global memory") /* says It lies 1 byte before an allocation */
        moved<<<1, 32>>>(out, out - 1, 8);
    CASE(host_memory, "host pointer in a kernel") moved<<<1, 32>>>(out, host, 8);
    CASE(race, "race in shared memory")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ int s[64];
        if (t == 0)
            memset(s, 0, sizeof s); // BUG
        ints[t] = s[t]; // BUG
    });
    CASE(bits, "race in global memory") // says Bit fields that share a word are loaded and stored
        DO(2, i ? ((Bits *)ints)->low = 1 : ((Bits *)ints)->high = 1); // BUG
    CASE(overlap, "race in global memory") DO(32, memset(out + 5 * i, i, 6)); // BUG
    CASE(on_the_host, "device pointer on the host") memset(out, 0, 64);
    CASE(from_the_host, "device pointer on the host") memcpy(host, out, argv[1][0] % 60u);
    return finish(0);
}
