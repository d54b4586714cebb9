/* Copies of structures with padding, structures that functions take and return, and memset, memcpy
 * in kernels; wide accesses whose address is no multiple of their size, and shuffles with a
 * wrong width. */
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
        __builtin_memcpy(to + 1, from, bytes);
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

struct Pair {
    int a, b;
};
#pragma pack(push, 1)
struct Packed {
    char tag;
    int value;
    double weight;
};
#pragma pack(pop)

template <class T> __device__ void copy_as(int i, const void *in, void *out)
{
    ((T *)out)[i] = ((const T *)in)[i];
}
__global__ void in_shared(double *out, int floats)
{
    extern __shared__ float s[];
    double *d = (double *)(s + floats);
    d[threadIdx.x] = threadIdx.x; // BUG of_shared
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x ^ 1]; // BUG of_shared
}
__device__ int shuffles(int v, int by, int width)
{
    return __shfl_up_sync(0xffffffff, v, by, width) + __shfl_down_sync(0xffffffff, v, by, width) +
           __shfl_xor_sync(0xffffffff, v, by % 32, width);
}

int main(int, char **argv)
{
    char *out = (char *)device(4096), *in = (char *)device(4096), host[64];
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

    /* ---- addresses, and widths of shuffles ---- */
    CASE(aligned, "nothing")
    {
        DO(32, copy_as<float4>(i, in, ints)), DO(32, copy_as<double>(i, in + 8, ints));
        DO(32, copy_as<short>(i, in + 2, ints)), DO(32, copy_as<Pair>(i, in + 4, ints + 1));
        DO(32, copy_as<float3>(i, in + 4, ints + 1)), DO(32, copy_as<Packed>(i, in + 1, ints));
        DO(32, ((Packed *)in)[i].weight = ((Packed *)in)[i].value = 1);
        DO(32, memcpy(in + 1 + 8 * i, in + 512 + 8 * i, 7)), DO(7, copy_as<float4>(i, in + 32 * i, ints));
        in_shared<<<1, 32, 34 * 4 + 256>>>((double *)ints, 34);
    }
    CASE(of_double, "misaligned access")
        DO(32, copy_as<double>(i, in + 4, ints)); // says The address is 4 bytes past a multiple of 8.
    CASE(of_float4, "misaligned access") DO(32, copy_as<float4>(i, in + 4, ints));
    CASE(of_int, "misaligned access") DO(32, copy_as<int>(i, in + 2, ints));
    CASE(one_lane, "misaligned access") DO(2, copy_as<float4>(i, in + 36 * i, ints));
    CASE(of_shared, "misaligned access") in_shared<<<1, 32, 33 * 4 + 256>>>((double *)ints, 33);
    CASE(of_atomic, "misaligned access") DO(32, atomicAdd((int *)(in + 6), 1)); // BUG x32
    CASE(null_offset, "access to no memory at all") DO(32, copy_as<int>(i, (int *)NULL + 2000, ints));

    CASE(widths, "nothing")
        for (int width = 1; width <= 32; width *= 2) {
            DO(32, ints[i] = __shfl_sync(~0u, i, 40, width) + __shfl_sync(~0u, i, -1, width));
            DO(32, ints[i] = shuffles(i, 1, width) + shuffles(i, 31, width));
        }
    CASE(width_24, "shuffle with a wrong width") DO(32, ints[i] = __shfl_sync(~0u, i, 0, 24)); // BUG
    CASE(width_0, "shuffle with a wrong width") DO(32, ints[i] = __shfl_sync(~0u, i, 0, 0)); // BUG
    CASE(width_64, "shuffle with a wrong width") DO(32, ints[i] = shuffles(i, 1, 64));
    CASE(width_negative, "shuffle with a wrong width")
        DO(32, ints[i] = shuffles(i, 1, -32)); // says passes the width -32.
    return finish(0);
}
