/* Any block size: a tree for a number of threads that is no power of two.
 *
 * Read it after step 06, whose tree halves the block: of 200 threads' sums it would add the upper
 * 100 onto the lower, then 50, 25, 12, and lose one of the 25.
 *
 * Idea: begin with the smallest power of two that is not below the number of threads, and let a
 * thread add only where there is something to add. The tree has the shape of the next larger power
 * of two, with some of its leaves missing.
 *
 * Look at: lanes per request, below those of step 06: the last warp has 8 threads, while the
 * hardware runs 32 lanes.
 *
 * Expect: the time of step 06, but where the tile makes a difference: it is 16 x 200 elements here,
 * so that 2^12 take a second launch, and 1.7 times the time, 2^24 a third, and a sixth more;
 * between them it is up to a fifth. 200 threads need as many rounds as 256; but where memory is the
 * wall, the tree hardly counts. It is right for any block, down to BLOCK=1, and slow for small
 * ones.
 *
 * Source: write-up 4 (reduce3). BLOCK is 200 here unless make is told one from 1 to 1024. */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;
    unsigned width = 1;

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

    while (width < BLOCK)
        width *= 2;
    for (unsigned stride = width / 2; stride > 0; stride /= 2) {
        if (tid < stride && tid + stride < BLOCK)
            s[tid] += s[tid + stride];
        __syncthreads();
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
