/* Atomic finish: a tree for each block, then one atomicAdd per block onto the result.
 *
 * Read it after step 06. Its second launch, which adds the blocks' sums, is replaced: each block
 * adds its sum to *out itself. Atomic, because blocks run at the same time: a plain += would read,
 * add and write, and lose what another block wrote in between.
 *
 * Look at: launches and atomic requests. *out must be 0 before, and the cudaMemset for that is a
 * launch, too: what is saved at 2^12, 2^20 and 2^30, and how many blocks then want the same word?
 * On a GPU, at which of these n do you expect less time than step 06 takes, at which more?
 *
 * Then build it with TYPE=float and run it with --uniform several times (without a GPU: with
 * --order 1, 2, 3). In which order are the sums added, and what does the result show of it? Would
 * ints show it, too?
 *
 * Source: write-up 1 (stage 4). */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void reduce_block(const elem_t *in, elem_t *out, size_t n)
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
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid < 32) {
#pragma unroll
        for (unsigned stride = BLOCK > 32 ? 32 : 16; stride > 0; stride /= 2) {
            if (tid < stride)
                s[tid] += s[tid + stride];
            __syncwarp();
        }
    }

    if (tid == 0)
        atomicAdd(out, s[0]);
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    CHECK(cudaMemsetAsync(out, 0, sizeof *out)); /* the same bits are 0 in int and float */
    reduce_block<<<(n + TILE - 1) / TILE, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
