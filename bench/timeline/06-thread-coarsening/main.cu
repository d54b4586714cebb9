/* Step 06 with marks that tell where its warps' time goes: see ../marks.h. Between the marks, which
 * are lines of their own, stands the step's own text. */
#include "../marks.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    MARKS_BEGIN;
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    if (tile + TILE <= n) {
        MARK(first_load);
#pragma unroll
        for (unsigned i = 0; i < TILE; i += BLOCK)
            MARK_LOAD(sum)
            sum += in[tile + i + tid];
        MARK(last_load);
        MARK_WHEN(first_use, MARK_LOADED(0));
        MARK_ADD(sum);
        MARK_WHEN(last_use, sum);
    } else {
        for (size_t i = tile + tid; i < n; i += BLOCK)
            sum += in[i];
    }
    s[tid] = sum;
    MARK(arrive);
    __syncthreads();
    MARK_LEAVE;

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        MARK(arrive);
        __syncthreads();
        MARK_LEAVE;
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
        sums[blockIdx.x] = s[0];
    MARKS_END;
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    MARKS_OF((n + TILE - 1) / TILE);
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
    return marks_print(lab_main(argc, argv, reduce), __FILE__);
}
