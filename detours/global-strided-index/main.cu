/* Working threads side by side, in global memory: the tree of step 02 without shared memory.
 *
 * Read it after step 02. The pairs are those of global-neighbored-pairs, but the first threads do
 * the additions: thread t those of element 2 * stride * t. Whole warps fall idle instead of lanes,
 * and an idle warp does not even issue the body's instructions.
 *
 * Look at: global load requests, lanes per request and sectors per request, here and in
 * global-neighbored-pairs. What becomes of the sectors in all? Global memory has no banks, and so
 * no conflicts: what do elements cost that lie ever further apart?
 *
 * On a GPU, compare the time with that of global-neighbored-pairs, and with that of step 02. In
 * step 02 the bank conflicts cost time: what takes their place here?
 *
 * Source: write-up 0 (reduceNeighboredLess). */
#include "lab.h"

__global__ void reduce_block(elem_t *data, elem_t *sums, size_t n)
{
    unsigned tid = threadIdx.x;
    size_t begin = (size_t)blockIdx.x * blockDim.x;
    unsigned count = n - begin < blockDim.x ? n - begin : blockDim.x;
    elem_t *in = data + begin; /* this block's elements, count of them */

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned i = 2 * stride * tid;
        if (i + stride < count)
            in[i] += in[i + stride];
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
