/* Step 06: each thread adds many elements before the tree starts.
 *
 * Before: each thread had two loads in flight, and none while its block was in the tree. The
 * bandwidth is (bytes in flight) / (latency), and too few bytes were in flight to use all of it.
 *
 * Idea: 16 elements per thread, added in a register. The loads of a full tile have no condition and
 * do not depend on each other, so all 16 are sent before the first answer is needed; neighbouring
 * threads still load neighbouring addresses. Only the last, partial tile checks every index.
 *
 * Look at: global sectors, shared requests and barriers. How many elements share one tree? And how
 * many loads can a thread send before it needs the first answer?
 *
 * In flight: 16 loads per thread.
 *
 * Source: write-ups 1 (stage 5), 2 (solution 0.5), 4 (reduce1 to reduce3). */
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
    __syncthreads(); /* all of s is filled */

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads(); /* the next round reads these sums */
    }

    if (tid < 32) {
#pragma unroll
        for (unsigned stride = BLOCK > 32 ? 32 : 16; stride > 0; stride /= 2) {
            if (tid < stride)
                s[tid] += s[tid + stride];
            __syncwarp(); /* the same, within one warp */
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
