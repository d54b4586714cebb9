/* Masks by __activemask() that nobody looks at, and those that somebody does; lanes beyond a
 * shuffle's width. Stores of several lanes to one word by one instruction: the same value is a note,
 * different ones are a race, however alike they look, and whatever is stored there before or after. */
#include "cases.h"
#include <cooperative_groups.h>

#define ALL 0xffffffffu

/* Lanes that are not part of the sum get undefined values, which are not used. */
template <class T> static void sum_of_part(T *a, dim3 block, int lanes, int used)
{
    DO(block, if (i < lanes) {
        T v = (T)(i + 1);
        for (int k = lanes / 2; k > 0; k /= 2)
            v += __shfl_down_sync((1u << lanes) - 1, v, k);
        if (i < used)
            a[i] = v;
    });
}
template <class T> static void store_lane(T *a, unsigned lanes, dim3 block)
{
    run<<<1, block>>>([=] __device__(int i) {
        __shared__ T last;
        if (lanes >> i % 32 & 1 && i / 32 == (int)(blockDim.x * blockDim.y) / 32 - 1)
            last = (T)i; // BUG all_store, some_store
        __syncthreads();
        if (i == 0)
            a[0] = last;
    });
}

struct Three {
    int a[3];
};
struct Long {
    int a[300];
};

/* All bits of the value count, in every type: the last lane's differs. */
template <typename T> static void store(T *word, T one, T other, int threads = 32)
{
    DO(threads, *word = i % 32 < 31 ? one : other);
}
template <typename T> static void copy(T *to, const T *from) { DO(32, *to = from[i % 2]); }

/* The last warp alone, in a block of two dimensions. */
static void last_warp(double *words, double one, double other, dim3 block = dim3(32, 4))
{
    DO(block, words[threadIdx.y] = threadIdx.y == 3 && threadIdx.x == 7 ? other : one);
}

/* Behind it all store the same there, which alone is then in memory. */
static void overwritten(int *word, int *rest, bool same, int rounds = 2)
{
    DO(32, for (int round = 0; round < rounds; round++) {
        word[0] = round || same ? 5 : i;
        rest[i] = round;
        __syncwarp();
    });
}

int main(int, char **argv)
{
    int *a = (int *)device(4096), wrong = 0;
    float *f = (float *)a;
    double *d = (double *)a;
    int *data = (int *)device(1 << 16), *rest = (int *)device(1 << 12);
    double *doubles = (double *)data;
    const Three *three = (const Three *)data + 64;
    const Long *all = (const Long *)data + 2;
    const float4 *four = (const float4 *)data + 8;
    int tail = 7; /* the second of either differs from the first in its last word */
    cudaMemcpy((void *)&three[1].a[2], &tail, 4, cudaMemcpyHostToDevice);
    cudaMemcpy((void *)&four[1].w, &tail, 4, cudaMemcpyHostToDevice);
    cudaMemcpy((void *)&all[1].a[299], &tail, 4, cudaMemcpyHostToDevice);

    /* ---- taken for the lanes that are meant ---- */
    CASE(later, "note: __activemask() as the mask of a shuffle")
    run<<<1, 32>>>([=] __device__(int i) {
        unsigned half;
        float v = f[i], w;
        if (i < 16) {
            half = __activemask();
            w = __shfl_xor_sync(half, v, 1); // BUG: Here it was 0x0000ffff, and the program uses it
        } else {
            half = __activemask();
            w = __shfl_up_sync(half, v, 1, 8); // BUG
        }
        f[i] = __shfl_sync(ALL, w, i ^ 1);
    });
    CASE(synchronised, "note: __activemask() as the mask of a shuffle")
    run<<<1, 32>>>([=] __device__(int i) {
        __shared__ int s[32];
        if (i < 16) {
            s[i] = i;
            __syncwarp(__activemask()); // BUG
            a[i] = s[i ^ 1];
        }
    });

    /* ---- looked at ---- */
    CASE(aggregated, "nothing")
    run<<<1, 96>>>([=] __device__(int i) {
        if (i % 3 != 0) {
            unsigned mask = __activemask(), lower = (1u << i % 32) - 1;
            int leader = __ffs(mask) - 1, base = 0;
            if (i % 32 == leader)
                base = atomicAdd(a, __popc(mask));
            base = __shfl_sync(mask, base, leader);
            a[256 + base + __popc(mask & lower)] = i;
        }
    });
    CASE(only_if_full, "nothing")
    run<<<1, 48>>>([=] __device__(int i) {
        unsigned mask = __activemask();
        int v = i;
        if (mask == ALL)
            for (int k = 16; k > 0; k /= 2)
                v += __shfl_xor_sync(mask, v, k);
        a[i] = v;
    });
    CASE(votes, "nothing")
    run<<<1, 64>>>([=] __device__(int i) {
        if (i % 2)
            a[i] = __any_sync(__activemask(), a[i] > 0) + __popc(__activemask());
    });
    CASE(own_value, "nothing")
        DO(64, unsigned mask = __activemask(); a[i] = __shfl_sync(mask, i, i % 32);
           if (i == 7) __syncwarp(__activemask()));

    /* ---- lanes beyond the width, of a mask, of a sum ---- */
    CASE(beyond_width, "nothing")
    {
        run<<<1, 32>>>([=] __device__(int i) {
            a[i] = __shfl_sync(ALL, i, 21, 8) != (i & ~7) + 5;
            a[i] += __shfl_sync(ALL, i, -1, 16) != (i & ~15) + 15;
            a[i] += __shfl_down_sync(ALL, i, 12, 16) != (i % 16 < 4 ? i + 12 : i);
            a[i] += __shfl_up_sync(ALL, i, 3, 4) != (i % 4 == 3 ? i - 3 : i);
            a[i] += __shfl_down_sync(ALL, i, 40) != (i < 24 ? i + 8 : i);
            a[i] += __shfl_xor_sync(ALL, i, 4, 8) != (i ^ 4);
        });
        return differ(a, 32, [](int) { return 0; });
    }
    TWINS(beyond_mask_of_16, "warp operation with a wrong mask")
        DO(32, if (i >= 16) a[i] = __shfl_sync(0xffff0000, i, 3, right ? 16 : 32)); // BUG
    CASE(thrown_away, "nothing")
    {
        sum_of_part(a, 512, 16, 1), sum_of_part(f, dim3(8, 4), 16, 1), sum_of_part(d, 32, 4, 1);
    }
    CASE(stored, "warp operation with a wrong mask")
        sum_of_part(a, 512, 16, 16); // says which takes no part by the mask 0x0000ffff,
    CASE(stored_doubles, "warp operation with a wrong mask") sum_of_part(d, 512, 2, 2);
    TWINS(not_looked_at, "warp operation with a wrong mask")
    run<<<1, 32>>>([=] __device__(int i) {
        double v = i;
        for (int k = 16; k > 0 && i < 20; k /= 2) {
            double other = __shfl_down_sync(0xfffff, v, k); // BUG
            v = i + k < 20 || !right ? v + other : v;
        }
        if (i == 0)
            atomicAdd(d, v);
    });
    TWINS(short_warp, "warp operation with a wrong mask")
    run<<<1, 16>>>([=] __device__(int i) {
        float v = i;
        for (int k = 1; k < 32; k *= 2) {
            float behind = __shfl_down_sync(ALL, v, k); // BUG
            if (!right || i + k < 16)
                v += behind;
        }
        f[i] = v;
    });
    CASE(ended, "warp operation with a wrong mask") /* says , which is in the mask 0xffffffff but ends */
        DO(32, if (i < 16) a[i] = __shfl_down_sync(ALL, i, 8)); // BUG
    CASE(not_in_mask, "warp operation with a wrong mask")
        DO(64, if (i == 33) __syncwarp(1)); // BUG: Thread 33, lane 1 of its warp, calls it with mask 0x00000001
    CASE(handed_on, "warp operation with a wrong mask")
        DO(8, int v = __shfl_xor_sync(0xff, i, 8); v = __shfl_sync(0xff, v, 3); if (i == 0) *a = v); // BUG

    TWINS(other_vote, "deadlock") /* of an H200, too */
    run<<<1, 32>>>([=] __device__(int i) {
        if (i < 16)
            a[i] = __any_sync(right ? 0xffff : ALL, i == 3);       // BUG
        else
            a[i] = __all_sync(right ? 0xffff0000 : ALL, i == 20); // BUG
    });

    /* ---- several lanes, one word ---- */
    CASE(all_store, "race in shared memory") store_lane(a, ALL, 32); // says Lanes of a warp
    CASE(some_store, "race in shared memory")
        store_lane(d, 1u << 31 | 0xfc1, dim3(16, 4)); // says a barrier between them is no help
    TWINS(pairs_store, "race in global memory")
        DO(32, a[right ? i : i / 2] = i); // BUG: Lanes of a warp store different values
    CASE(one_stores, "nothing") store_lane(a, 4, 64);

    CASE(halves, "race in shared memory") run<<<1, 64>>>([=] __device__(int i) {
        __shared__ int s[1]; if (i == 0) *s = 1; __syncthreads(); /* then loads of halves: they do not stand for others' */
        a[i] = i < 16 || i >= 32 ? *s : -*s; // BUG
        __syncwarp(); if (i == 0) *s = 7; }); // BUG
    TWINS(on_arrival, "race in shared memory") run<<<1, 128>>>([=] __device__(int i) {
        __shared__ int s; auto b = cooperative_groups::this_thread_block(); int v = i ? i : (s = i); b.sync();
        if (right || i > 31) v = s; /* by those who have yet to arrive: it does not stand for the next */
        auto token = b.barrier_arrive(); if (!right && i < 32) v = s; // BUG
        b.barrier_wait(std::move(token)); data[i] = v + (i == 99 ? s = i : 0); }); // BUG
    TWINS(no_swap, "race in shared memory and note: plain read of a compare-and-swap loop") run<<<1, 64>>>([=] __device__(int i) {
        __shared__ int s; if (i == 0) s = 0; __syncthreads(); /* the last read before an atomicCAS does not stand for others */
        int old = 0; if (i / 16 == 2 && !right) old = -s; // BUG
        if (i / 16 != 2 && (i < 32 || !right)) old = s; // BUG
        data[i] = i < 32 ? atomicCAS(&s, old, i) : old; }); // BUG

    /* ---- the same value, or nearly so ---- */
    CASE(doubles, "race in global memory") store(doubles, 1.0, 1.0 + 1e-15);
    CASE(float4s, "race in global memory") copy((float4 *)data, four);
    CASE(shorts, "race in global memory") store((short *)data + 1, (short)1, (short)258);
    CASE(last_warp, "race in global memory") last_warp(doubles, 1.0, 1.0000001);
    CASE(overwritten, "race in global memory") overwritten(data, rest, false);
    CASE(three, "race in global memory") copy((Three *)data, three);
    CASE(long_ones, "note: lanes store one value to one word") /* not known to differ */
        copy((Long *)data, all);
    CASE(same_ints, "note: lanes store one value to one word") store(data, 13, 13);
    CASE(same_of_two_warps, "race in global memory") store(data, 13, 13, 64); // says Both store the same value.
    CASE(same_doubles, "race in global memory") store(doubles, 2.0, 2.0, 64); // says Both store the same value.
    CASE(others_differ, "race in global memory") /* of those that do is told */
        DO(96, if (i % 32 == 0) *data = i < 64); // BUG: thread (64,0,0)
    CASE(doubles_differ, "race in global memory") DO(96, if (i % 32 == 0) *doubles = i < 64); // BUG: thread (64,0,0)
    CASE(by_two, "race in global memory") /* instructions; says Both store the same value. */
        DO(32, if (i == 0) *data = 5; else if (i == 1) *data = 5); // BUG
    CASE(behind_notes, "race in global memory") DO(33, for (int k = i; k < 64; k++) data[k] = k); // says Both store
    CASE(same_in_warps, "note: lanes store one value to one word") last_warp(doubles, 1.0, 1.0);
    CASE(same_overwritten, "note: lanes store one value to one word") overwritten(data, rest, true);
    /* a thread's own atomic may change the word before anybody looks */
    CASE(counted, "note: lanes store one value to one word")
        DO(32, if (i == 0) *data = 0; __syncwarp(); *data = 4; __syncwarp(); atomicAdd(data, 1));
    CASE(each_its_own, "nothing") last_warp(doubles, 1.0, 2.0, dim3(1, 4));
    if (!strcmp(argv[1], "tickets")) /* two blocks have one slot if one overtakes the other */
        run<<<2, 1>>>([=] __device__(int) {
            for (int k; (k = atomicAdd(rest, 1)) < 64;)
                data[k / 2] = (int)blockIdx.x;
        });
    return finish(wrong);
}
