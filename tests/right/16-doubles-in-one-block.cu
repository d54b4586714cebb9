/* Right: one block adds up the blocks' sums in doubles. */
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

__global__ void add_sums(const elem_t *sums, size_t count, elem_t *price)
{
    __shared__ double s[BLOCK];
    unsigned tid = threadIdx.x;
    double sum = 0;

    for (size_t i = tid; i < count; i += BLOCK)
        sum += sums[i];
    s[tid] = sum;
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        *price = (elem_t)s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *price = task_out(task, "price");
    size_t n = task_size(task, "n");

    elem_t *sums = task_work(task, "sums");
    size_t blocks = (n + BLOCK - 1) / BLOCK;

    add_blocks<<<blocks, BLOCK>>>(in, sums, n);
    add_sums<<<1, BLOCK>>>(sums, blocks, price);
    CHECK(cudaGetLastError());
}
