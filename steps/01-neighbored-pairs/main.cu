/* Step 01: a tree of additions in shared memory, thousands of blocks.
 *
 * Before: one block kept one multiprocessor busy, and its loads were scattered.
 *
 * Idea: one element per thread, so that neighbouring threads load neighbouring addresses and there
 * are blocks for the whole GPU. Each block adds its elements in pairs, the pairs' sums in pairs,
 * and so on: log2(BLOCK) rounds, in each of which half of the partial sums disappear.
 *
 * Look at: sectors per request of the load, and lanes per request of the line that adds. Which
 * threads add in the first round, which in the next, and in how many warps do they sit? A warp is
 * busy as long as one of its 32 lanes is. (And % takes many instructions.)
 *
 * In flight: 1 load per thread.
 *
 * Source: write-ups 0 (in global memory), 1 (stage 1), 2 (solution 1), 3 (sumReduce1). */
#include "lab.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads(); /* all of s is filled */

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0) /* the left one of a pair */
            s[tid] += s[tid + stride];
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
