/* Step 02: the working threads are neighbours.
 *
 * Before: the threads that added were spread over all warps, most lanes of every warp idle.
 *
 * Idea: the first threads do the same additions: thread t takes the t-th pair. Whole warps run out
 * of work together and only wait; only the last five rounds diverge.
 *
 * Look at: requests and lanes per request of the line that adds; then, for the first time, its
 * wavefronts and bank conflicts. Shared memory has 32 banks, word w lies in bank w mod 32, and each
 * serves one word at a time: in which banks lie the words of neighbouring threads?
 *
 * In flight: 1 load per thread.
 *
 * Source: write-ups 0 (reduceNeighboredLess, in global memory), 2 (solution 2). */
#include "lab.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads(); /* all of s is filled */

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned left = 2 * stride * tid; /* of the tid-th pair */
        if (left < blockDim.x)
            s[left] += s[left + stride];
        __syncthreads(); /* the next round reads these sums */
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t blocks = (n + BLOCK - 1) / BLOCK;
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
