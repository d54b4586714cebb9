/* Neighbouring pairs, in global memory: the tree of step 01 without shared memory.
 *
 * Read it after step 01. The block adds pairs where they lie, in the input itself, which is
 * destroyed; the harness restores it before each run, untimed.
 *
 * Look at: the line that adds (--annotate), its requests and its lanes. In how many warps of a
 * block do threads add in the first round, in the second, in the third? How many lanes of each?
 *
 * On a GPU, compare the time with that of step 01. The L1 cache holds a block's elements, but every
 * store goes on to the L2 cache: which rounds must wait for more than the L1 cache? How much do you
 * expect that to cost?
 *
 * Source: write-ups 0 (reduceNeighbored) and 1 (stage 1). */
#include "lab.h"

__global__ void reduce_block(elem_t *data, elem_t *sums, size_t n)
{
    unsigned tid = threadIdx.x;
    size_t begin = (size_t)blockIdx.x * blockDim.x;
    unsigned count = n - begin < blockDim.x ? n - begin : blockDim.x;
    elem_t *in = data + begin; /* this block's elements, count of them */

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0 && tid + stride < count)
            in[tid] += in[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = in[0];
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(elem_t *data, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t blocks = (n + BLOCK - 1) / BLOCK;
        elem_t *sums = blocks > 1 ? scratch : out;

        reduce_block<<<blocks, BLOCK>>>(data, sums, n);
        CHECK(cudaGetLastError());
        data = sums;
        n = blocks;
        scratch += blocks;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    return lab_main_in_place(argc, argv, reduce);
}
