/* Step 04: the first addition happens while loading.
 *
 * Before: half of the threads loaded one element and never added anything.
 *
 * Idea: half as many blocks; each thread loads two elements and puts their sum into shared memory.
 * So all lanes do the first round of the tree in registers, before the tree begins.
 *
 * Look at: each counter, and whether it counts something per element or something per block. And
 * one thing that no counter shows: the number of loads that a thread has in flight at a time.
 *
 * In flight: 2 loads per thread.
 *
 * Source: write-up 2 (solution 4). */
#include "lab.h"

__global__ void reduce_block(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * blockDim.x) + tid;
    elem_t sum = i < n ? in[i] : 0;

    if (i + blockDim.x < n)
        sum += in[i + blockDim.x];
    s[tid] = sum;
    __syncthreads(); /* all of s is filled */

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads(); /* the next round reads these sums */
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

/* Every launch leaves one sum per block; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
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
    return lab_main(argc, argv, reduce);
}
