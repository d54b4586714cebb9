/* Step 07: lanes read each other's registers.
 *
 * Before: the tree still went through shared memory: store, wait, load, in each of its rounds.
 *
 * Idea: __shfl_down_sync gives a lane the register of another lane of its warp, with no memory and
 * no barrier. Each warp reduces its 32 sums to one; the warps' sums go through shared memory once;
 * the first warp reduces them in the same way.
 *
 * Look at: shared requests, barriers and shuffles; on a GPU also the time at the largest n. What
 * did step 06 wait for, and does this step wait for it less? What could a kernel do with the
 * shared memory and the instructions that are saved here?
 *
 * In flight: 16 loads per thread.
 *
 * Measured with: float and double, too.
 *
 * Source: write-up 2 (solution 6). */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    if (tile + TILE <= n) {
#pragma unroll
        for (unsigned i = 0; i < TILE; i += BLOCK)
            sum += in[tile + i + tid];
    } else {
        for (size_t i = tile + tid; i < n; i += BLOCK)
            sum += in[i];
    }

    for (unsigned delta = 16; delta > 0; delta /= 2) /* in registers */
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads(); /* each warp's sum is in s */

    if (tid < 32) {
        sum = tid < BLOCK / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }

    if (tid == 0)
        sums[blockIdx.x] = sum;
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
