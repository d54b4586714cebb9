/* Upper half onto lower half, in global memory: the tree of step 03 without shared memory.
 *
 * Read it after step 03. As in global-strided-index the first threads work, but on neighbouring
 * elements, so a warp's request is four full sectors, as long as the whole warp works: it is
 * coalesced.
 *
 * Look at: sectors per request, 2.8 here, since a warp's last rounds need fewer than four, and 10
 * in global-strided-index; sectors in all, a quarter of its.
 *
 * Expect: 2.2 times as fast as global-neighbored-pairs at blocks of 512 (the write-up: 2.1), and a
 * fifteenth slower than step 03 at 2^24, an eighth at 2^30: step 03's tree does without global
 * memory.
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
