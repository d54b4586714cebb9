/* Step 05 with marks that tell where its warps' time goes: see ../marks.h. Between the marks, which
 * are lines of their own, stands the step's own text. */
#include "../marks.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    MARKS_BEGIN;
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + tid;
    MARK(first_load);
    elem_t sum = i < n ? in[i] : 0;

    if (i + blockDim.x < n)
        MARK_LOAD(sum)
        sum += in[i + blockDim.x];
    MARK(last_load);
    MARK_WHEN(first_use, sum);
    MARK_ADD(sum);
    MARK_WHEN(last_use, sum);
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
    MARKS_OF((n + 2 * BLOCK - 1) / (2 * BLOCK));
    do {
        size_t blocks = (n + 2 * BLOCK - 1) / (2 * BLOCK);
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
