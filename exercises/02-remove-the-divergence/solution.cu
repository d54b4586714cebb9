/* Exercise 02: remove the divergence.
 *
 * A block adds up 256 elements in a tree: sums[b] becomes the sum of in[256 *
 * b … 256 * b + 255], as far as there are elements.
 *
 * The result is right. But in the first round every second thread adds, in
 * the next every fourth: all eight warps stay busy with ever fewer of their
 * lanes.
 *
 * Task: let the threads that add be the first ones of the block, so that
 * whole warps have nothing to do. (That it may cause bank conflicts is
 * another matter: exercise 03.)
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

    for (unsigned stride = 1; stride < BLOCK; stride *= 2) {
        unsigned left = 2 * stride * tid;
        if (left < BLOCK)
            s[left] += s[left + stride];
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
