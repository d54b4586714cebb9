/* Atomics and plain accesses to the same words, in a program without any fence; with -DFENCE in one
 * that has some. Global memory is zero when a kernel begins, but that of raw. */
#include "cases.h"

#ifdef FENCE
__global__ void fence() { __threadfence(), __threadfence_block(); }
#endif

/* ---- a counter that is set back ---- */

/* Each block counts; the first or the last one sets the counter back, behind a barrier by the last
 * thread of the block. */
template <bool barrier> __global__ void set_back(unsigned *count, unsigned ticket)
{
    __shared__ bool mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(count, 1) == ticket;
    if (barrier)
        __syncthreads();
    if (threadIdx.x == (barrier ? blockDim.x - 1 : 0) && mine)
        *count = 0;
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
__global__ void add_doubles(double *p) { add(p, 0.5); }
__global__ void add_then_look(double *p, double *out)
{
    add(p, 0.5);
    out[blockIdx.x * blockDim.x + threadIdx.x] = *p;
}

/* ---- a word gets its first write while others read it ---- */

/* One block sets a flag, others wait for it. */
__global__ void wait_by_add(int *flag)
{
    if (blockIdx.x == 0)
        atomicExch(flag, 1);
    else
        while (atomicAdd(flag, 0) == 0)
            ;
}
__global__ void lock_and_unlock(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    atomicExch(lock, 0);
}
/* Whoever reads the word has written it before. */
__global__ void own_exchange_then_count(int *count)
{
    atomicExch(count, 0);
    atomicAdd(count, 1);
}

/* The same within a block: ordered by the warp's barrier. */
__global__ void in_warp(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 5)
        atomicExch(&count, 0);
    __syncwarp();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
__global__ void set_flag(int *flag) { atomicExch(flag, 1); }
int main(int, char **argv)
{
    unsigned *count = (unsigned *)device(256), *out = (unsigned *)device(4096);
    double *sums = (double *)device(256);

    CASE(last, "nothing") set_back<false><<<5, 64>>>(count, 4);
    CASE(last_barrier, "nothing") set_back<true><<<5, 64>>>(count, 4);
    CASE(first, "race in global memory") set_back<false><<<5, 64>>>(count, 0);
    CASE(doubles, "nothing") add_doubles<<<2, 64>>>(sums);
    CASE(doubles_look, "race in global memory") add_then_look<<<2, 64>>>(sums, (double *)out);
    CASE(flag, "uninitialised global memory") wait_by_add<<<2, 1>>>(raw<int>(1));
    CASE(lock, "uninitialised global memory") lock_and_unlock<<<4, 1>>>(raw<int>(1));
    CASE(first_written, "nothing")
    {
        int *word = raw<int>(1);
        in_warp<<<1, 32>>>((int *)out), own_exchange_then_count<<<3, 1>>>(raw<int>(1));
        set_flag<<<2, 32>>>(word), wait_by_add<<<2, 1>>>(word);
        wait_by_add<<<2, 1>>>((int *)device(4)), lock_and_unlock<<<4, 1>>>((int *)device(4));
    }
    return finish(0);
}
