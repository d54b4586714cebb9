/* Right: further launches add up the blocks' sums in trees, all in floats. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add_blocks(const elem_t *in, elem_t *price, size_t n)
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
        price[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *price = task_out(task, "price");
    size_t n = task_size(task, "n");

    elem_t *sums = task_work(task, "sums"), *more;
    size_t blocks = (n + BLOCK - 1) / BLOCK;

    CHECK(cudaMalloc(&more, blocks * sizeof *more));
    add_blocks<<<blocks, BLOCK>>>(in, blocks == 1 ? price : sums, n);
    while (blocks > 1) {
        size_t count = blocks;
        blocks = (blocks + BLOCK - 1) / BLOCK;
        add_blocks<<<blocks, BLOCK>>>(sums, blocks == 1 ? price : more, count);
        elem_t *swap = sums;
        sums = more, more = swap;
    }
    CHECK(cudaGetLastError());
}
