/* Another kernel: each thread adds 16 elements. */
#include "task.h"

#define BLOCK 32 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *total, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    elem_t x = 0;
    for (; i < n; i += gridDim.x * BLOCK)
        x += in[i];
    s[tid] = x;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(total, s[0]);
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *total = task_out(task, "total");
    size_t n = task_size(task, "n");

    CHECK(cudaMemset(total, 0, sizeof *total));
    add_blocks<<<(n + 16 * BLOCK - 1) / (16 * BLOCK), BLOCK>>>(in, total, n);
    CHECK(cudaGetLastError());
}
