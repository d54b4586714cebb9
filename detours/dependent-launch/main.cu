/* Dependent launch: step 07, whose next launch begins while the one before still runs.
 *
 * Read it after step 07, and guess what its second launch costs at 2^14.
 *
 * Idea: the GPU waits until the last block of a launch has ended and its stores are visible; only
 * then does it prepare the next launch. Since compute capability 9.0 a launch may begin early. Its
 * blocks start as soon as all blocks of the launch before have called
 * cudaTriggerProgrammaticLaunchCompletion(), and wait inside the kernel, at
 * cudaGridDependencySynchronize(), until that launch has ended. Before this call the kernel may
 * neither touch what the launch before writes nor write what it reads.
 *
 * The backend reports a kernel that does so. In a launch without the attribute both calls do
 * nothing. So the first launch, which waits for the copy or the reduction before it, is an ordinary
 * one, as in step 07.
 *
 * Look at: the time, beside that of step 07, at 2^12, 2^14, 2^20 and 2^28. What is there to do
 * before the call, in the second launch? How many microseconds do you expect it to save, and at
 * which n none?
 *
 * In flight: 16 loads per thread.
 *
 * Source: CUDA C++ Programming Guide, programmatic dependent launch. */
#include "lab.h"

#define ELEMS 16 /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[32];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    cudaTriggerProgrammaticLaunchCompletion(); /* from here on the next launch may begin */
    cudaGridDependencySynchronize();           /* the one before has ended */
    if (tile + TILE <= n) {
#pragma unroll
        for (unsigned i = 0; i < TILE; i += BLOCK)
            sum += in[tile + i + tid];
    } else {
        for (size_t i = tile + tid; i < n; i += BLOCK)
            sum += in[i];
    }

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (tid % 32 == 0)
        s[tid / 32] = sum;
    __syncthreads();

    if (tid < 32) {
        sum = tid < BLOCK / 32 ? s[tid] : 0;
        for (unsigned delta = 16; delta > 0; delta /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, delta);
    }

    if (tid == 0)
        sums[blockIdx.x] = sum;
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. All
 * but the first may begin early. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.blockDim = BLOCK;
    how.attrs = &early;
    do {
        size_t blocks = (n + TILE - 1) / TILE;
        elem_t *sums = blocks > 1 ? scratch : out;

        how.gridDim = blocks;
        CHECK(cudaLaunchKernelEx(&how, reduce_block, in, sums, n));
        how.numAttrs = 1;
        in = sums;
        n = blocks;
        scratch += blocks;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    lab_requires(9, 0, "dependent launches");
    return lab_main(argc, argv, reduce);
}
