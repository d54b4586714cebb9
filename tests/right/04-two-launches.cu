/* Right: further launches instead of an atomic. */
#include "task.h"

#define BLOCK 256 /* threads a block */

__global__ void add_blocks(const elem_t *in, elem_t *sum, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid;
    elem_t first = i < n ? in[i] : 0;

    if (i + BLOCK < n)
        first += in[i + BLOCK];
    s[tid] = first;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sum[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sum = task_out(task, "sum");
    size_t n = task_size(task, "n");

    elem_t *part;
    size_t b = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    CHECK(cudaMalloc(&part, b * sizeof *part));
    add_blocks<<<b, BLOCK>>>(in, part, n);
    while (b > 1) {
        size_t m = b;
        b = (b + 2 * BLOCK - 1) / (2 * BLOCK);
        elem_t *next;
        CHECK(cudaMalloc(&next, b * sizeof *next));
        add_blocks<<<b, BLOCK>>>(part, next, m);
        CHECK(cudaFree(part));
        part = next;
    }
    CHECK(cudaMemcpy(sum, part, sizeof *sum, cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(part));
    CHECK(cudaGetLastError());
}
