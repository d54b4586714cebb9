/* Step 05: the last warp needs no barrier of the block.
 *
 * Before: in the last six rounds only the first warp had work, yet all warps met at a barrier after
 * each of them.
 *
 * Idea: stop the loop when 64 sums are left. From there on the first warp works alone, in a loop
 * with known bounds, which the compiler unrolls. Its lanes must still see each other's sums:
 * __syncwarp() orders their accesses, and costs far less than __syncthreads(). (Before Volta, 2017,
 * the lanes of a warp ran in lockstep, and programs left even that out. Such programs are wrong
 * today.)
 *
 * Look at: the warps at __syncthreads, and those at __syncwarp.
 *
 * In flight: 2 loads per thread.
 *
 * Source: write-ups 2 (solution 5), 4 (reduce4). */
#include "lab.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + tid;
    elem_t sum = i < n ? in[i] : 0;

    if (i + blockDim.x < n)
        sum += in[i + blockDim.x];
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
        size_t blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
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
