/* Warp reduction in hardware: __reduce_add_sync.
 *
 * Read it after step 07, whose warps need five shuffles and five additions for one sum. Since
 * compute capability 8.0 one instruction, REDUX, does it, for integers only.
 *
 * Look at: shuffles and reductions by warps, here and in step 07. On a GPU, compare the times at
 * 2^10, 2^12, 2^24 and 2^30: where are there other warps that work while one shuffles, and where do
 * all warps of the one block wait at the same time? Where do you expect a gain, and is it the same
 * for each n that one block can reduce alone?
 *
 * Source: CUDA C++ Programming Guide, warp reduce functions. */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

static __device__ int warp_sum(int sum)
{
#if !defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffff, sum);
#else
    __trap(); /* main refuses such a GPU */
    return sum;
#endif
}

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[32];
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

    sum = warp_sum(sum);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = warp_sum(tid < BLOCK / 32 ? s[tid] : 0);
    }

    if (tid == 0)
        sums[blockIdx.x] = sum;
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t blocks = (n + TILE - 1) / TILE;
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
    lab_requires(8, 0, "__reduce_add_sync");
    return lab_main(argc, argv, reduce);
}
