/* What every GPU does, whoever drives it: step 07 on a piece of the array. */
#ifndef ON_EACH_GPU_H
#define ON_EACH_GPU_H

#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

/* The kernel of step 07, unchanged. */
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

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < BLOCK / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }

    if (tid == 0)
        sums[blockIdx.x] = sum;
}

/* Room for the sums of all launches on a piece of count elements: more than one sum per block. */
static inline size_t scratch_bytes(size_t count)
{
    return (1 + count / BLOCK) * sizeof(elem_t);
}

/* As in step 07, but on a stream of the current GPU, and right for n = 0, too: one block then finds
 * no element and writes the sum 0. */
static void reduce_piece(const elem_t *in, elem_t *out, elem_t *scratch, size_t n,
                         cudaStream_t stream)
{
    do {
        size_t blocks = n > 0 ? (n + TILE - 1) / TILE : 1;
        elem_t *sums = blocks > 1 ? scratch : out;

        reduce_block<<<blocks, BLOCK, 0, stream>>>(in, sums, n);
        CHECK(cudaGetLastError());
        in = sums;
        n = blocks;
        scratch += blocks;
    } while (n > 1);
}

#endif
