/* Right: one array of pairs. */
#include "task.h"

#define BLOCK 256 /* threads per block */

struct pair {
    elem_t s, q;
};

__global__ void add_blocks(const elem_t *in, elem_t *sum, elem_t *squares, size_t n)
{
    __shared__ struct pair p[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t x = i < n ? in[i] : 0;

    p[tid].s = x;
    p[tid].q = x * x;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            p[tid].s += p[tid + stride].s;
            p[tid].q += p[tid + stride].q;
        }
        __syncthreads();
    }

    if (tid == 0) {
        atomicAdd(sum, p[0].s);
        atomicAdd(squares, p[0].q);
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
