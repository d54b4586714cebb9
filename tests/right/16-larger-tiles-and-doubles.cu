/* Right: each thread adds up 16 elements in a double, and so does all that follows. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__device__ double total; /* of all blocks; 0 between launches */

__global__ void add_blocks(const elem_t *in, size_t n)
{
    __shared__ double s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    double x = 0;
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
        atomicAdd(&total, s[0]);
}

__global__ void round_total(elem_t *price)
{
    *price = (elem_t)total; /* once, at the end */
    total = 0;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *price = task_out(task, "price");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + 16 * BLOCK - 1) / (16 * BLOCK), BLOCK>>>(in, n);
    CHECK(cudaGetLastError());
    round_total<<<1, 1>>>(price);
    CHECK(cudaGetLastError());
}
