/* Atomics and plain accesses to the same words, in a program without any fence; with -DFENCE in one
 * that has some. Global memory is zero when a kernel begins, but that of raw. */
#include "cases.h"

#ifdef FENCE
__global__ void fence() { __threadfence(), __threadfence_block(); }
#endif

/* ---- a counter that is set back ---- */

enum comer { FIRST, LAST };

/* The first thread of each group of so many counts; the one who came so, or the last of its block
 * behind a barrier, sets the counter back. */
template <comer who, bool barrier> __global__ void set_back(unsigned *count, unsigned size)
{
    __shared__ bool mine;
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    unsigned groups = gridDim.x * blockDim.x * blockDim.y / size, ticket = groups;
    if (t % size == 0)
        ticket = atomicAdd(count, 1);
    bool it = ticket == (who == FIRST ? 0 : groups - 1);
    if (barrier) {
        if (t == 0)
            mine = it;
        __syncthreads();
        it = mine && t == blockDim.x * blockDim.y - 1;
    }
    if (it)
        *count = 0;
}

/* Each block looks, by a plain load, when it has counted. */
__global__ void look(unsigned *count, unsigned *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        out[blockIdx.x] = *count;
    }
}

/* ---- compare and swap of more than a word ---- */

__device__ double add(double *p, double v)
{
    unsigned long long *word = (unsigned long long *)p, old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
__global__ void add_doubles(double *p, int words) { add(&p[threadIdx.x % words], 0.5); }
__global__ void add_then_look(double *p, double *out)
{
    add(p, 0.5);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *p;
}

/* ---- a word gets its first write while others read it ---- */

enum { BARRIER, NOTHING };

/* One block sets a flag, others wait for it. */
__device__ void wait_by_add_at(int *flag)
{
    if (blockIdx.x == 0)
        atomicExch(flag, 1);
    else
        while (atomicAdd(flag, 0) == 0)
            ;
}
__global__ void wait_by_add(int *flag) { wait_by_add_at(flag); }
__device__ int device_flag;
__global__ void wait_for_device_flag() { wait_by_add_at(&device_flag); }
__global__ void lock_and_unlock(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    atomicExch(lock, 0);
}
__global__ void clear_then_count(int *count)
{
    if (blockIdx.x == 0)
        *count = 0;
    atomicAdd(count, 1);
}
/* Whoever reads the word has written it before. */
__global__ void own_exchange_then_count(int *count)
{
    atomicExch(count, 0);
    atomicAdd(count, 1);
}

/* The same within a block. */

template <int between> __device__ void exchange_then_count(int *count)
{
    if (threadIdx.x == 0)
        atomicExch(count, 0);
    if (between == BARRIER)
        __syncthreads();
    if (threadIdx.x > 0)
        atomicAdd(count, 1);
}
template <int between> __global__ void in_global(int *count)
{
    exchange_then_count<between>(&count[blockIdx.x]);
}
template <int between> __global__ void in_shared(int *out)
{
    __shared__ int count;
    exchange_then_count<between>(&count);
    __syncthreads();
    if (blockIdx.x == 0)
        out[threadIdx.x] = count;
}
template <bool waits> __global__ void in_warp(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 5)
        atomicExch(&count, 0);
    if (waits)
        __syncwarp();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
__global__ void all_exchange(int *out)
{
    __shared__ int count;
    atomicExch(&count, 0);
    atomicAdd(&count, 1);
    __syncthreads();
    if (blockIdx.x == 0)
        out[threadIdx.x] = count > 0;
}
__global__ void set_flag(int *flag) { atomicExch(flag, 1); }
int main(int, char **argv)
{
    int wrong = 0;
    unsigned *count = (unsigned *)device(256), *out = (unsigned *)device(4096);
    double *sums = (double *)device(256);

    CASE(last, "nothing") set_back<LAST, false><<<5, 64>>>(count, 64);
    CASE(last_barrier, "nothing") set_back<LAST, true><<<5, 64>>>(count, 64);
    CASE(first, "race in global memory") set_back<FIRST, false><<<5, 64>>>(count, 64);
    CASE(look, "race in global memory") look<<<4, 32>>>(count, out);
    CASE(doubles, "nothing") add_doubles<<<2, 64>>>(sums, 1);
    CASE(doubles_look, "race in global memory") add_then_look<<<2, 64>>>(sums, (double *)out);
    CASE(flag, "uninitialised global memory") wait_by_add<<<2, 1>>>(raw<int>(1));
    CASE(cleared_at_once, "race in global memory") clear_then_count<<<4, 1>>>(raw<int>(1));
    CASE(no_barrier, "uninitialised global memory") in_global<NOTHING><<<2, 64>>>(raw<int>(2));
    CASE(no_barrier_shared, "uninitialised shared memory") in_shared<NOTHING><<<2, 64>>>((int *)out);
    CASE(no_syncwarp, "uninitialised shared memory") in_warp<false><<<1, 32>>>((int *)out);
    CASE(first_written, "nothing")
    {
        int *word = raw<int>(1), *flag, *pinned;
        wrong += cudaMallocManaged(&flag, 4) || cudaMallocHost(&pinned, 4);
        in_global<BARRIER><<<2, 64>>>(raw<int>(2)), in_shared<BARRIER><<<2, 64>>>((int *)out);
        in_warp<true><<<1, 32>>>((int *)out), all_exchange<<<2, 96>>>((int *)out);
        own_exchange_then_count<<<3, 1>>>(raw<int>(1));
        set_flag<<<2, 32>>>(word), wait_by_add<<<2, 1>>>(word);
        wait_by_add<<<2, 1>>>((int *)device(4)), lock_and_unlock<<<4, 1>>>((int *)device(4));
        wait_by_add<<<2, 1>>>(flag), wait_by_add<<<2, 1>>>(pinned), wait_for_device_flag<<<2, 1>>>();
    }

    return finish(wrong);
}
