/* Exercise 15: a ticket too early.
 *
 * One launch adds up all elements. Each block adds up 256, leaves its sum in
 * sums[block], and takes a ticket: a number that counts the blocks which are
 * done. The block with the last ticket adds up all sums: result[0] becomes
 * the sum of in[0 … n - 1].
 *
 * On most days the result is right. But the last block may read a sum that
 * is not there yet, though its block has taken a ticket.
 *
 * Task: find out why, and repair it. It stays one launch, all warps load, and
 * the blocks take tickets. Blocks still add in trees, and atomics in place
 * of stores are not enough. (The CPU backend has CUDA's fences and atomic
 * functions, but not cuda/atomic.)
 *
 * Arrays: in, n elements; result, one element; sums, to work with, one
 * element for each 256. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__device__ unsigned ticket; /* blocks that are done; 0 between launches */

/* The sum of x over the block, in thread 0. */
__device__ elem_t add_block(elem_t x)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = x;
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    return s[0];
}

__global__ void add(const elem_t *in, elem_t *result, elem_t *sums, size_t n)
{
    const volatile elem_t *all = sums; /* others write them meanwhile */
    __shared__ bool last;
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = add_block(i < n ? in[i] : 0);

    if (tid == 0) {
        sums[blockIdx.x] = x;
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;

    x = 0;
    for (unsigned k = tid; k < gridDim.x; k += BLOCK)
        x += all[k];
    x = add_block(x);
    if (tid == 0)
        *result = x;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *result = task_out(task, "result"), *sums = task_work(task, "sums");
    size_t n = task_size(task, "n");

    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, result, sums, n);
    CHECK(cudaGetLastError());
}
