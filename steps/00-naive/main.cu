/* Step 00: the sum as one would write it with threads on a CPU.
 *
 * Idea: cut the array into 1024 contiguous pieces, one per thread. Each thread adds up its piece,
 * then one thread adds up the 1024 sums.
 *
 * Look at: sectors per request of the load in the loop. A sector is the smallest unit that is read:
 * which addresses do the lanes of a warp read at the same time, and how much of each sector do they
 * use? Then count the multiprocessors of the GPU that have work.
 *
 * Source: write-up 2, solution 0. */
#include "lab.h"

#undef BLOCK
#define BLOCK 1024 /* one block, as large as a GPU allows */

__global__ void reduce_pieces(const elem_t *in, elem_t *out, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t piece = (n + BLOCK - 1) / BLOCK;
    size_t begin = tid * piece;
    size_t end = begin + piece < n ? begin + piece : n;
    elem_t sum = 0;

    for (size_t i = begin; i < end; i++)
        sum += in[i];
    s[tid] = sum;
    __syncthreads(); /* all of s is filled */

    if (tid == 0) {
        for (unsigned t = 1; t < BLOCK; t++)
            sum += s[t];
        *out = sum;
    }
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    reduce_pieces<<<1, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
