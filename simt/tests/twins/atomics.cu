/* Atomics and plain accesses to the same words, in a program without any fence; with -DFENCE in one
 * that has some. Global memory is zero when a kernel begins, but that of raw. */
#include "cases.h"
#include <sys/resource.h>

#ifdef FENCE
__global__ void fence() { __threadfence(), __threadfence_block(); }
#endif

/* Each block counts; the first or the last one sets the counter back, behind a barrier by the last
 * thread of the block. */
static void set_back(unsigned *count, unsigned ticket, bool barrier)
{
    run<<<5, 64>>>([=] __device__(int i) {
        __shared__ bool mine;
        if (i == 0)
            mine = atomicAdd(count, 1) == ticket; // BUG first
        if (barrier)
            __syncthreads();
        if (i == (barrier ? 63 : 0) && mine)
            *count = 0; // BUG first
    });
}
/* Compare and swap of more than a word. */
__device__ double add(double *p, double v)
{
    unsigned long long *word = (unsigned long long *)p, old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __double_as_longlong(v + __longlong_as_double(assumed))); // BUG doubles, peeks
    } while (assumed != old);
    return __longlong_as_double(old);
}

/* Threads that end without an atomicCAS have read what others change. */
__device__ void largest(float *p, float v)
{
    int *word = (int *)p, old = *word; // BUG largest, unrolled, crowd_looks
    while (v > __int_as_float(old)) {
        int assumed = old;
        if ((old = atomicCAS(word, assumed, __float_as_int(v))) == assumed) // BUG largest, unrolled, crowd_looks
            return;
    }
}

/* A word gets its first write while others read it: one block sets a flag, others wait for it. */
static void wait_by_add(int *flag)
{
    run<<<2, 1>>>([=] __device__(int) {
        if (blockIdx.x == 0)
            atomicExch(flag, 1);
        else
            while (atomicAdd(flag, 0) == 0) // BUG flag: Nothing orders the word's first write, at
                ;
    });
}
static void lock_and_unlock(int *lock)
{
    run<<<4, 1>>>([=] __device__(int) {
        while (atomicCAS(lock, 0, 1) != 0) // BUG lock
            ;
        atomicExch(lock, 0);
    });
}

/* KiB that the program needed at most, when each thread has added to a word, and to one of a few. */
static long peak(unsigned *count, int blocks)
{
    struct rusage used;
    run<<<blocks, 256>>>([=] __device__(int i) {
        atomicAdd(count, 1);
        atomicMax(&count[1 + (blockIdx.x + i) % 16], blockIdx.x);
    });
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

int main(int, char **argv)
{
    unsigned *count = (unsigned *)device(256);
    double *sums = (double *)device(256), *out = (double *)device(4096);
    int *word = raw<int>(1), *other = raw<int>(1);

    CASE(many, "nothing") /* a million more: of each a few bytes */
    {
        long before = peak(count, 256);
        return finish(peak(count, 2304) - before > 12 << 10);
    }
    CASE(last, "nothing") set_back(count, 4, false);
    CASE(last_barrier, "nothing") set_back(count, 4, true);
    CASE(first, "race in global memory") set_back(count, 0, false);
    TWINS(sets_first, "race in global memory") /* in front of all atomics, its own included */
    run<<<4, 64>>>([=] __device__(int i) {
        if (i + 64 * blockIdx.x == 255) *count = 0; // BUG sets_first
        if (right) return;
        atomicAdd(count, i); // BUG sets_first
    });
    CASE(another_sets_back, "race in global memory") /* not who made the last atomic */
        DO(64, if (i == 0) atomicAdd(count, 1); if (i == 33) *count = 0); // BUG
    TWINS(scopes, "race in global memory") /* the second is of the device again */
    run<<<3, 32>>>([=] __device__(int) {
        atomicAdd_block(&count[right ? 1 + blockIdx.x : 1], 1), atomicAdd(count, 1); // BUG: A call that ends in _block
    });
    TWINS(doubles, "race in global memory")
    run<<<2, 64>>>([=] __device__(int i) {
        add(sums, 0.5);
        if (!right)
            out[blockIdx.x * 64 + i] = *sums; // BUG doubles
    });
    CASE(largest, "note: plain read of a compare-and-swap loop")
    run<<<4, 64>>>([=] __device__(int i) { if (i % 3 == 0) largest((float *)count, i * 5 % 64); else largest((float *)count, 1); });
    CASE(unrolled, "note: plain read of a compare-and-swap loop")
    run<<<4, 64>>>([=] __device__(int i) {
#pragma GCC unroll 3
        for (int k = 0; k < 3; k++) largest((float *)count, i * 5 % 64 - 10 * k);
    });
    TWINS(crowd, "race in global memory") /* 256 blocks; judged to the end, whatever the order */
    run<<<256, 256>>>([=] __device__(int i) {
        unsigned seen = *count, old; // BUG crowd
        do old = seen; while ((seen = atomicCAS(count, old, old + 1)) != old);  // BUG crowd
        if (!right && i == 255 && blockIdx.x == 255)
            *count = 5; // BUG crowd
    });
    CASE(crowd_looks, "note: plain read of a compare-and-swap loop")
    run<<<256, 256>>>([=] __device__(int i) { largest((float *)count, (256 * blockIdx.x + i) * 7919 % 65536); });
    CASE(peeks, "race in global memory") /* at another word's first read */
    run<<<4, 64>>>([=] __device__(int i) {
        if (i % 2 == 0) add(sums, i);
        else out[blockIdx.x * 64 + i] = *sums, atomicCAS(count, *count, i); // BUG peeks
    });
    TWINS(behind_excused, "race in global memory") run<<<64, 64>>>([=] __device__(int i) { /* ones, of another word */
        int old = 0, other = blockIdx.x == 63 && i > 61 ? right ? i - 61 : 1 : 0;
        if (!other || i == 62) old = count[other]; // BUG behind_excused
        if (!other || i == 63) atomicCAS(count + other, old, i); }); // BUG behind_excused
    CASE(flag, "uninitialised global memory") wait_by_add(word);
    CASE(lock, "uninitialised global memory") lock_and_unlock(word);
    CASE(first_written, "nothing")
    {
        run<<<2, 32>>>([=] __device__(int) { atomicExch(word, 1); });
        wait_by_add(word), wait_by_add((int *)device(4)), lock_and_unlock((int *)device(4));
    }
    CASE(own_write_first, "nothing") /* whoever reads the word has written it before */
    run<<<3, 32>>>([=] __device__(int i) {
        __shared__ int own;
        if (i == 5)
            atomicExch(&own, 0), atomicExch(other, 0), atomicAdd(other, 1);
        __syncwarp();
        atomicAdd(&own, 1);
        __syncthreads();
        out[32 * blockIdx.x + i] = own;
    });
    return finish(0);
}
