/* Waiting loads: step 06's elements per thread, but one load in flight.
 *
 * Read it after step 06, which changes three ideas at once: 16 elements per thread instead of 2, so
 * fewer trees; 16 loads in flight per thread; and at 2^24 one launch less. Here each constant is
 * one idea. LOADS is how many loads are sent before the first answer is used: with 1 each load
 * waits for the addition of the one before. GUARD 1 checks before each load whether its element is
 * there, as step 05 does. Step 05 is ELEMS 2, LOADS 2, GUARD 1, and step 06 is ELEMS 16, LOADS 16,
 * GUARD 0; what lies between takes them apart.
 *
 * Look at: the counters, beside those of step 06. Do you expect them to differ, and which of them
 * tells how many loads are in flight?
 *
 * On a GPU, compare the times at 2^26 with those of steps 05 and 06, with LOADS 1, 2 and 16. Which
 * idea do you expect to gain most: fewer trees, more loads in flight, or no guard?
 *
 * sm_90's machine code has LOADS times LDG, then the additions, then the loop's branch. A guard is
 * a predicate of its LDG and no branch, so the loads do not wait for each other.
 *
 * In flight: 1 load per thread.
 *
 * Source: write-ups 1 (stage 5), 4 (reduce1). */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define GUARD 0  /* 1: each load asks whether its element is there, not only the last tile's */
#define TILE  (ELEMS * BLOCK)

enum { LOADS = 1 }; /* in flight per thread: nvcc unrolls the loop so many times */

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    if (!GUARD && tile + TILE <= n) {
#pragma unroll LOADS
        for (unsigned i = 0; i < TILE; i += BLOCK)
            sum += in[tile + i + tid];
    } else {
#pragma unroll LOADS
        for (unsigned i = 0; i < TILE; i += BLOCK)
            sum += tile + i + tid < n ? in[tile + i + tid] : 0;
    }
    s[tid] = sum;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid < 32) {
#pragma unroll
        for (unsigned stride = BLOCK > 32 ? 32 : 16; stride > 0; stride /= 2) {
            if (tid < stride)
                s[tid] += s[tid + stride];
            __syncwarp();
        }
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t blocks = (n + TILE - 1) / TILE;
        elem_t *sums = blocks > 1 ? scratch : out;

        reduce_block<<<blocks, BLOCK>>>(in, sums, n);
        CHECK(cudaGetLastError());
        in = sums;
        n = blocks;
        scratch += blocks;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
