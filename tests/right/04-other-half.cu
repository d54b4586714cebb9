/* Right: the upper half of the block adds up the squares, while the lower half adds up the
 * elements. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, elem_t *squares, size_t n)
{
    __shared__ elem_t s[BLOCK], q[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = i < n ? in[i] : 0;

    s[tid] = x;
    q[tid] = x * x;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        unsigned t = tid % (BLOCK / 2);
        elem_t *of = tid < BLOCK / 2 ? s : q;
        if (t < stride)
            of[t] += of[t + stride];
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
    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, sum, squares, n);
    CHECK(cudaGetLastError());
}
