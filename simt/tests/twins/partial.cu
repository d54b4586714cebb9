/* Results of shuffles by a part of a warp: the value of a lane that takes no part is undefined,
 * whether a minimum or maximum drops it or not. Right where the program leaves it out, or where
 * nobody uses what comes of it. */
#include "cases.h"

/* Of 48 threads the last 16 are half a warp; 11 are those of a mask. */
enum { HALF = 48, FEW = 11 };
__device__ int data, flag;

template <class T> static T *input(int sign = 1)
{
    T host[512], *in = raw<T>(512);
    for (int i = 0; i < 512; i++)
        host[i] = (T)(sign * (1000 - 17 * (i * 29 % 64)) / 4);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    return in;
}

/* A tree in each warp, of all of its lanes or of FEW. */
template <class T, class F> static void tree(int threads, bool right, int sign, F combine)
{
    const T *in = input<T>(sign);
    T *out = raw<T>(64);
    run<<<1, threads == HALF ? HALF : 32>>>([=] __device__(int i) {
        int lane = i % 32, lanes = threads == HALF ? (i < 32 ? 32 : 16) : FEW;
        unsigned mask = threads == HALF ? 0xffffffff : 0x7ff;
        T v = in[i];
        for (int d = 16; d > 0 && lane < lanes; d /= 2) {
            T w = __shfl_down_sync(mask, v, d); // BUG max_int, min_float, product
            if (!right || lane + d < lanes)
                v = combine(v, w);
        }
        if (lane == 0)
            out[i / 32] = v;
    });
}
#define TREE(type, threads, sign, ...)                                                             \
    tree<type>(threads, right, sign, [] __device__(type v, type w) -> type { __VA_ARGS__; })

/* Two shuffles a round: the value, and where it stands. The lesser index wins between equals. */
template <class T> static void arg(bool right, bool least)
{
    const T *in = input<T>(least ? 1 : -1);
    int *out = raw<int>(64);
    run<<<1, HALF>>>([=] __device__(int i) {
        int lane = i % 32, lanes = i < 32 ? 32 : 16, at = i;
        T v = in[i];
        for (int d = 16; d > 0; d /= 2) {
            T w = __shfl_down_sync(~0u, v, d);
            int from = __shfl_down_sync(~0u, at, d); // BUG argmin, argmax
            bool better = least ? w < v : w > v;
            if ((better || (w == v && from < at)) && (!right || lane + d < lanes))
                v = w, at = from;
        }
        if (lane == 0)
            out[i / 32] = at;
    });
}

/* In 16 lanes, whose upper half gets what nobody uses: it branches by it, and goes on. */
template <class F> static void upper_half(int blocks, F after)
{
    const float *in = input<float>();
    run<<<blocks, 64>>>([=] __device__(int i) {
        float v = in[i];
        for (int d = 8; d > 0 && i % 32 < 16; d /= 2) {
            float w = __shfl_down_sync(0xffff, v, d);
            if (w > v)
                v = w;
        }
        after(i, v);
    });
}

/* One warp of 16 threads: each does something with what its neighbour has. */
template <class F> static void neighbour(F use)
{
    run<<<1, 16>>>([=] __device__(int i) { use(i, __shfl_down_sync(~0u, i, 1)); }); // BUG voted, reduced, indexed, rounds, trapped, added, compared
}

int main(int, char **argv)
{
    float *out = (float *)device(4096);
    int *count = (int *)device(4096);

    TWINS(max_int, "warp operation with a wrong mask") TREE(int, HALF, 1, return max(v, w)); // says Lane 0 reads lane 16, which the block does not have,
    TWINS(min_int, "warp operation with a wrong mask") TREE(int, HALF, -1, return min(v, w));
    TWINS(max_unsigned, "warp operation with a wrong mask") TREE(unsigned, FEW, 1, return max(v, w));
    TWINS(min_unsigned, "warp operation with a wrong mask") TREE(unsigned, HALF, 1, return min(v, w));
    TWINS(if_float, "warp operation with a wrong mask") TREE(float, HALF, -1, if (w > v) v = w; return v);
    TWINS(min_float, "warp operation with a wrong mask") TREE(float, FEW, 1, return fminf(v, w)); // says and the value reaches a store.
    TWINS(max_float, "warp operation with a wrong mask") TREE(float, HALF, 1, return fmaxf(v, w));
    TWINS(choose_double, "warp operation with a wrong mask") TREE(double, FEW, -1, return v < w ? v : w);
    TWINS(max_double, "warp operation with a wrong mask") TREE(double, HALF, 1, return fmax(v, w));
    TWINS(min_long, "warp operation with a wrong mask") TREE(long long, FEW, 1, return w < v ? w : v);
    TWINS(max_long, "warp operation with a wrong mask") TREE(unsigned long long, HALF, 1, return max(v, w));
    TWINS(bits, "warp operation with a wrong mask") TREE(int, HALF, 1, return v ^ w);
    TWINS(product, "warp operation with a wrong mask") TREE(double, FEW, 1, return v * w);
    TWINS(scaled, "warp operation with a wrong mask") TREE(int, HALF, 1, return v + 3 * w);
    TWINS(root, "warp operation with a wrong mask") TREE(float, FEW, 1, return sqrtf(v * v + w * w));
    TWINS(largest, "warp operation with a wrong mask") TREE(int, HALF, 1, return max((v & 7) | 0x7ffffff0, w)); /* than any float's bits */
    TWINS(in_words, "warp operation with a wrong mask") TREE(double, HALF, 1,
        return max(v, __hiloint2double(__double2hiint(w), __double2loint(w))));
    TWINS(argmin, "warp operation with a wrong mask") arg<float>(right, true);
    TWINS(argmax, "warp operation with a wrong mask") arg<double>(right, false);

    /* ---- other uses ---- */
    TWINS(voted, "warp operation with a wrong mask") /* says Lane 15 reads lane 16, */
        neighbour([=] __device__(int i, int w) { count[i] = __any_sync(0xffff, w > 100 && (!right || i < 15)); });
    TWINS(reduced, "warp operation with a wrong mask")
        neighbour([=] __device__(int i, int w) { count[i] = __reduce_max_sync(0xffff, right && i == 15 ? i : w); });
    TWINS(indexed, "warp operation with a wrong mask")
        neighbour([=] __device__(int i, int w) { int v = count[w & 15]; if (i < 15 || !right) count[i + 16] = v + (w & 15); });
    TWINS(stored_far, "warp operation with a wrong mask and out of bounds in global memory")
        for (int k = 0; k < 9; k++) neighbour([=] __device__(int i, int w) { if (i < 15 || !right) count[w] = 1; });
    TWINS(rounds, "warp operation with a wrong mask") /* says and what the thread does next depends */
        neighbour([=] __device__(int i, int w) { for (int k = 0; k < (right && i == 15 ? 9 : w) && k < 20; k++) __syncwarp(1 << i); });
    TWINS(trapped, "warp operation with a wrong mask")
        neighbour([=] __device__(int i, int w) { if (w < 0 && (!right || i < 15)) __trap(); });
    TWINS(added, "warp operation with a wrong mask") /* says and the value reaches an atomic. */
        neighbour([=] __device__(int i, int w) { atomicMax(count, right && i == 15 ? i : w); });
    TWINS(compared, "warp operation with a wrong mask") /* with the lane's own: no other value shows it */
        neighbour([=] __device__(int i, int w) { count[i] = w == i && (!right || i < 15); });

    /* ---- not used ---- */
    CASE(thrown_away, "nothing") upper_half(1, [=] __device__(int i, float v) { if (i % 32 == 0) out[i / 32] = v; });
    CASE(with_others, "nothing") upper_half(2, [=] __device__(int i, float v) {
        __shared__ float s[64];
        float x = 0;
        for (int k = 0; k < 400; k++) /* longer than a log */
            x += s[i] = out[k + i];
        __syncthreads();
        if (i % 32 == 0)
            atomicAdd(out + 1000, v + s[i + 1]);
        atomicAdd(count, 1);
        count[i + 64 * blockIdx.x + 1] = (int)x + (atomicAdd(count + 512, 1) > 5000);
    });
    CASE(time, "nothing") upper_half(1, [=] __device__(int i, float v) { count[i] = (int)clock64() + (i == 0) * (int)v; });
    CASE(divisor, "nothing") neighbour([=] __device__(int i, int w) { int q = 1000 / w; if (i < 15) count[i] = q; });
    CASE(waits, "nothing") upper_half(2, [=] __device__(int i, float v) {
        if (blockIdx.x == 0 && i == 0)
            data = (int)v, __threadfence(), atomicExch(&flag, 1);
        while (atomicAdd(&flag, 0) == 0)
            __nanosleep(10);
        __threadfence();
        count[64 * blockIdx.x + i] = data;
    });
    CASE(looks, "note: volatile flag") upper_half(2, [=] __device__(int i, float v) { /* flag changes while they look */
        int turns = 0;
        if (blockIdx.x == 1 && i == 0)
            data = (int)v, __threadfence(), *(volatile int *)&flag = 1;
        while (*(volatile int *)&flag == 0)
            turns = 1;
        __threadfence();
        count[64 * blockIdx.x + i] = data + turns;
    });
    return finish(0);
}
