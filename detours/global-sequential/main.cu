/* Upper half onto lower half, in global memory: the tree of step 03 without shared memory.
 *
 * Read it after step 03. As in global-strided-index the first threads work, but on neighbouring
 * elements, so a warp's request is coalesced as long as the whole warp works.
 *
 * Look at: sectors per request and sectors in all, here and in global-strided-index. Of how many
 * sectors is a request of a full warp? And one of the last rounds, in which few lanes are left?
 * Which of the two programs reads sectors that it does not use?
 *
 * On a GPU, compare the time with that of global-neighbored-pairs, built with BLOCK=512 as in the
 * write-up, and with that of step 03. The tree of step 03 does without global memory: how much of
 * the time do you expect that to save?
 *
 * Source: write-ups 0 (reduceInterleaved) and 1 (stage 2). */
#include "lab.h"

__global__ void reduce_block(elem_t *data, elem_t *sums, size_t n)
{
    unsigned tid = threadIdx.x;
    size_t begin = (size_t)blockIdx.x * blockDim.x;
    unsigned count = n - begin < blockDim.x ? n - begin : blockDim.x;
    elem_t *in = data + begin; /* this block's elements, count of them */

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride && tid + stride < count)
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
