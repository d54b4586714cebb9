/* Exercise 03: remove the bank conflict.
 *
 * A block adds up 256 elements in a tree: sums[b] becomes the sum of in[256 *
 * b … 256 * b + 255], as far as there are elements.
 *
 * The result is right, and the first threads do the work. But they touch
 * words 2, 4, 8, … apart: these lie in the same few of shared memory's 32
 * banks, and have to wait for each other.
 *
 * Task: add other pairs, so that in each round neighbouring threads touch
 * neighbouring words. The block's sum does not care which elements are added
 * first.
 *
 * Arrays: in, n elements; sums, one element for each 256. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
