/* Step 03: neighbouring threads touch neighbouring words.
 *
 * Before: strides of 2, 4, 8, … words put several lanes of a warp into the same bank.
 *
 * Idea: addition is commutative, so the pairs need not be neighbours. Add the upper half onto the
 * lower half, then halve what is left: in every round the working threads are the first ones, and
 * their words lie side by side, one per bank.
 *
 * Look at: wavefronts and bank conflicts of the line that adds. Then warps at __syncthreads: how
 * many threads of a block add in the first round, how many in the next, and how many come to the
 * barrier after each round?
 *
 * In flight: 1 load per thread.
 *
 * Source: write-ups 0 (reduceInterleaved), 1 (stages 2, 3), 2 (solution 3), 3 (sumReduce3). */
#include "lab.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads(); /* all of s is filled */

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
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
