/* Any block size: a tree for a number of threads that is no power of two.
 *
 * Read it after step 06, whose tree halves the block: of 200 threads' sums it would add the upper
 * 100 onto the lower, then 50, 25, 12, and lose one of the 25.
 *
 * Idea: begin with the smallest power of two that is not below the number of threads, and let a
 * thread add only where there is something to add. The tree has the shape of the next larger power
 * of two, with some of its leaves missing.
 *
 * Look at: lanes per request, beside those of step 06. How many lanes does the last warp of a block
 * of 200 have? How many rounds does its tree take, and how many that of a block of 256?
 *
 * Then look at the launches with -n 2^12, -n 2^20 and -n 2^24. A tile is 16 x 200 elements here and
 * 16 x 256 there: for which of these n does that cost a launch? On a GPU, which do you expect to
 * find in the times, the idle lanes, the rounds or the launches? And at which n, up to 2^30, will
 * it be hardest to tell the two programs apart? The program is right with BLOCK=1, too: how many
 * rounds has a tree then, and what else will make it slow?
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
