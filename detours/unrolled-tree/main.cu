/* The whole tree unrolled: no loop, no counter, no test of it.
 *
 * Read it after step 06, whose tree is a loop. BLOCK is known to the compiler, so each round can be
 * written out with its own constant stride, and the rounds that a smaller block does not need are
 * left out when compiling.
 *
 * Look at: shared requests and barriers, beside those of step 06; then the machine code of both,
 * with cuobjdump -sass (it needs nvcc). Which instructions has only the loop?
 *
 * On a GPU, compare the times at 2^12, 2^24 and 2^30. While one warp executes these instructions,
 * what do the multiprocessor's others do? Where do you expect to see what is saved?
 *
 * Source: write-up 4 (reduce4), which is for blocks of 256 or 512. */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
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
    s[tid] = sum;
    __syncthreads();

    if (BLOCK >= 1024) {
        if (tid < 512)
            s[tid] += s[tid + 512];
        __syncthreads();
    }
    if (BLOCK >= 512) {
        if (tid < 256)
            s[tid] += s[tid + 256];
        __syncthreads();
    }
    if (BLOCK >= 256) {
        if (tid < 128)
            s[tid] += s[tid + 128];
        __syncthreads();
    }
    if (BLOCK >= 128) {
        if (tid < 64)
            s[tid] += s[tid + 64];
        __syncthreads();
    }

    if (tid < 32) { /* one warp from here on */
        if (BLOCK >= 64)
            s[tid] += s[tid + 32];
        __syncwarp();
        if (tid < 16)
            s[tid] += s[tid + 16];
        __syncwarp();
        if (tid < 8)
            s[tid] += s[tid + 8];
        __syncwarp();
        if (tid < 4)
            s[tid] += s[tid + 4];
        __syncwarp();
        if (tid < 2)
            s[tid] += s[tid + 2];
        __syncwarp();
        if (tid < 1)
            s[tid] += s[tid + 1];
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
