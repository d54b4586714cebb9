/* Every thread adds to the results: no barrier, and two atomics for each element. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, elem_t *squares, size_t n)
{
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = i < n ? in[i] : 0;

    atomicAdd(sum, x);
    atomicAdd(squares, x * x);
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
