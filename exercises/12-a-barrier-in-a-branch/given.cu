/* Exercise 12: a barrier in a branch.
 *
 * A block adds up 512 elements in a tree: sums[b] becomes the sum of in[512 *
 * b … 512 * b + 511]. A thread with two elements adds them before it stores
 * into shared memory; the last block also has threads with one, or with none.
 *
 * On most days the result is right, and always if n is a multiple of 512.
 * Otherwise threads of a GPU may go on too early, or wait for ever.
 *
 * Task: find out which threads wait where, and repair it. The kernel has no
 * more barriers than before, and all its warps still load their share. It
 * still adds in a tree, not by atomics, which come one after the other.
 *
 * Arrays: in, n elements; sums, one element for each 512. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid;

    if (i + BLOCK < n) {
        s[tid] = in[i] + in[i + BLOCK];
        __syncthreads();
    } else {
        s[tid] = i < n ? in[i] : 0;
        __syncthreads();
    }

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

    add_blocks<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
