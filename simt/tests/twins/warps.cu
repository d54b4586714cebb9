/* Masks by __activemask() that nobody looks at, and those that somebody does; lanes beyond a
 * shuffle's width; several lanes that store to one word at once. */
#include "cases.h"

#define ALL 0xffffffffu

/* ---- taken for the lanes that are meant ---- */
__global__ void by_variable(int *a, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        unsigned mask = __activemask();
        int v = a[i];
        for (int k = 16; k > 0; k /= 2)
            v += __shfl_down_sync(mask, v, k);
        a[i] = v;
    }
}
__global__ void set_later(float *a)
{
    unsigned mask;
    float v = a[threadIdx.x], w;
    if (threadIdx.x < 16) {
        mask = __activemask();
        w = __shfl_xor_sync(mask, v, 1);
    } else {
        mask = __activemask();
        w = __shfl_up_sync(mask, v, 1, 8);
    }
    a[threadIdx.x] = w;
}
__global__ void exchange(int *a, int half)
{
    __shared__ int s[32];
    int i = threadIdx.x;
    if (i < half) {
        s[i] = i;
        __syncwarp(__activemask());
        a[i] = s[i ^ 1];
    }
}

/* ---- looked at ---- */
__global__ void aggregated(int *counter, int *a)
{
    int i = threadIdx.x;
    if (i % 3 != 0) {
        unsigned mask = __activemask(), lower = (1u << i % 32) - 1;
        int leader = __ffs(mask) - 1, base = 0;
        if (i % 32 == leader)
            base = atomicAdd(counter, __popc(mask));
        base = __shfl_sync(mask, base, leader);
        a[base + __popc(mask & lower)] = i;
    }
}
__global__ void only_if_full(int *a)
{
    int v = threadIdx.x;
    unsigned mask = __activemask();
    if (mask == ALL)
        for (int k = 16; k > 0; k /= 2)
            v += __shfl_xor_sync(mask, v, k);
    a[threadIdx.x] = v;
}
__global__ void votes(int *a)
{
    int i = threadIdx.x;
    if (i % 2)
        a[i] = __any_sync(__activemask(), a[i] > 0) + __all_sync(__activemask(), a[i] > 0) +
               __popc(__activemask());
}
__global__ void own_value(int *a)
{
    unsigned mask = __activemask();
    a[threadIdx.x] = __shfl_sync(mask, (int)threadIdx.x, threadIdx.x % 32);
    if (threadIdx.x == 7)
        __syncwarp(__activemask());
}
/* ---- lanes beyond the width ---- */
__global__ void beyond_width(int *a)
{
    int i = threadIdx.x, wrong = 0;
    wrong += __shfl_sync(ALL, i, 21, 8) != (i & ~7) + 5;
    wrong += __shfl_sync(ALL, i, -1, 16) != (i & ~15) + 15;
    wrong += __shfl_down_sync(ALL, i, 12, 16) != (i % 16 < 4 ? i + 12 : i);
    wrong += __shfl_up_sync(ALL, i, 3, 4) != (i % 4 == 3 ? i - 3 : i);
    wrong += __shfl_down_sync(ALL, i, 40) != i;
    wrong += __shfl_xor_sync(ALL, i, 4, 8) != (i ^ 4);
    if (wrong)
        atomicAdd(a, wrong);
}
__global__ void beyond_mask_of_16(int *a)
{
    int i = threadIdx.x;
    if (i >= 16)
        a[i] = __shfl_sync(0xffff0000, i, 3);
}
__global__ void within_mask_of_16(int *a)
{
    int i = threadIdx.x;
    if (i >= 16)
        a[i] = __shfl_sync(0xffff0000, i, 3, 16);
}

__global__ void half_has_ended(int *a)
{
    if (threadIdx.x < 16)
        a[threadIdx.x] = __shfl_down_sync(ALL, (int)threadIdx.x, 8);
}

/* What lanes beyond the sum's get from absent ones nobody uses. */
template <class T> __global__ void sum_of_part(T *a, unsigned lanes, unsigned first, unsigned used)
{
    unsigned i = threadIdx.x + threadIdx.y * blockDim.x;
    T v = (T)(i + 1);
    if (i < lanes) {
        for (unsigned k = first; k > 0; k /= 2)
            v += __shfl_down_sync((1u << lanes) - 1, v, k);
        if (i < used)
            a[i] = v;
    }
}
__global__ void sum_looked_at(double *a, int n, bool look)
{
    int i = threadIdx.x;
    double v = i;
    if (i < n)
        for (int k = 16; k > 0; k /= 2) {
            double other = __shfl_down_sync((1u << n) - 1, v, k);
            v = i + k < n || !look ? v + other : v;
        }
    if (i == 0)
        atomicAdd(a, v);
}
__global__ void scan_of_short_warp(float *a, bool guard)
{
    float v = threadIdx.x;
    for (int k = 1; k < 32; k *= 2) {
        float behind = __shfl_down_sync(ALL, v, k);
        if (!guard || threadIdx.x % 32 + k < blockDim.x % 32)
            v += behind;
    }
    a[threadIdx.x] = v;
}
__global__ void handed_on(int *a)
{
    if (threadIdx.x < 8) {
        int v = __shfl_xor_sync(0xff, threadIdx.x, 8);
        v = __shfl_sync(0xff, v, 3);
        if (threadIdx.x == 0)
            *a = v;
    }
}

/* ---- several lanes, one word ---- */
template <class T> __global__ void store_lane(T *a, unsigned lanes)
{
    __shared__ T last;
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    if (lanes >> i % 32 & 1 && i / 32 == (int)(blockDim.x * blockDim.y) / 32 - 1)
        last = (T)i;
    __syncthreads();
    if (i == 0)
        a[0] = last;
}
__global__ void store_quotient(int *a, int by) { a[threadIdx.x / by] = threadIdx.x; }

int main(int, char **argv)
{
    int *a = (int *)device(4096);

    CASE(variable, "note: __activemask() as the mask of a shuffle") by_variable<<<1, 32>>>(a, 32);
    CASE(later, "note: __activemask() as the mask of a shuffle") set_later<<<1, 32>>>((float *)a);
    CASE(synchronised, "note: __activemask() as the mask of a shuffle") exchange<<<1, 32>>>(a, 16);
    CASE(looked_at, "nothing")
    {
        aggregated<<<2, 96>>>(a, a + 256), only_if_full<<<1, 48>>>(a);
        votes<<<1, 64>>>(a), own_value<<<1, 64>>>(a);
    }
    CASE(beyond_width, "nothing")
    {
        int wrong;
        beyond_width<<<1, 32>>>(a), within_mask_of_16<<<1, 32>>>(a + 1);
        return finish(cudaMemcpy(&wrong, a, 4, cudaMemcpyDeviceToHost) || wrong);
    }
    CASE(thrown_away, "nothing")
    {
        sum_of_part<<<1, 512>>>(a, 16, 8, 1), sum_of_part<<<1, dim3(8, 4)>>>((float *)a, 16, 8, 1);
        sum_of_part<<<1, 32>>>((double *)a, 4, 2, 1), sum_looked_at<<<1, 32>>>((double *)a, 20, true);
        scan_of_short_warp<<<1, 16>>>((float *)a, true);
    }
    CASE(stored, "warp operation with a wrong mask") sum_of_part<<<1, 512>>>(a, 16, 8, 16);
    CASE(not_looked_at, "warp operation with a wrong mask")
        sum_looked_at<<<1, 32>>>((double *)a, 20, false);
    CASE(short_warp, "warp operation with a wrong mask")
        scan_of_short_warp<<<1, 16>>>((float *)a, false);
    CASE(ended, "warp operation with a wrong mask") half_has_ended<<<1, 32>>>(a);
    CASE(handed_on, "warp operation with a wrong mask") handed_on<<<1, 32>>>(a);
    CASE(beyond_mask_of_16, "warp operation with a wrong mask") beyond_mask_of_16<<<1, 32>>>(a);
    CASE(all_store, "race in shared memory") store_lane<<<1, 32>>>(a, ALL);
    CASE(some_store, "race in shared memory")
        store_lane<<<1, dim3(16, 4)>>>((double *)a, 1u << 31 | 0xfc1);
    CASE(pairs_store, "race in global memory") store_quotient<<<1, 32>>>(a, 2);
    CASE(one_stores, "nothing") store_lane<<<1, 64>>>(a, 4), store_quotient<<<1, 32>>>(a, 1);
    return finish(0);
}
