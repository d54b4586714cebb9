/* A barrier more behind the branch, and those in it stay. */
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

    add_blocks<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
