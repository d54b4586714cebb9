/* Exercise 04: halve the barriers.
 *
 * sum[0] becomes the sum of in[0 … n - 1], and squares[0] the sum of their
 * squares. Each block takes 256 elements and adds them up in a tree; then it
 * adds up their squares in a second tree.
 *
 * The result is right. But each tree has nine barriers, one before its first
 * round and one after each round, and at each of these 18 all eight warps of
 * the block wait for each other.
 *
 * Task: half as many warps at barriers for the same elements. A barrier costs
 * the same, however much has been done before it. All threads keep adding side
 * by side, as in a tree, not one after the other by an atomic for each element.
 *
 * Before you begin, write down what your program will have (at n = 4096):
 * PREDICT: barriers per block = ?
 *
 * Arrays: in, n elements; sum and squares, one element each. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add(const elem_t *in, elem_t *sum, elem_t *squares, size_t n)
{
    __shared__ elem_t s[BLOCK], q[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = i < n ? in[i] : 0;

    s[tid] = x;
    q[tid] = x * x;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            s[tid] += s[tid + stride];
            q[tid] += q[tid + stride];
        }
        __syncthreads();
    }

    if (tid == 0) {
        atomicAdd(sum, s[0]);
        atomicAdd(squares, q[0]);
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sum = task_out(task, "sum"), *squares = task_out(task, "squares");
    size_t n = task_size(task, "n");

    CHECK(cudaMemset(sum, 0, sizeof *sum));
    CHECK(cudaMemset(squares, 0, sizeof *squares));
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sum, squares, n);
    CHECK(cudaGetLastError());
}
