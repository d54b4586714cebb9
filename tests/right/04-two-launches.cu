/* Right: blocks leave their sums, and a second launch of one block adds these up. */
#include "task.h"

#define BLOCK 512

__device__ void add_block(elem_t x, elem_t y, elem_t *sum, elem_t *squares)
{
    __shared__ elem_t s[BLOCK], q[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = x, q[tid] = y;
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride], q[tid] += q[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        *sum = s[0], *squares = q[0];
}

__global__ void add_blocks(const elem_t *in, elem_t *part, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    elem_t x = i < n ? in[i] : 0;

    add_block(x, x * x, &part[2 * blockIdx.x], &part[2 * blockIdx.x + 1]);
}

__global__ void add_parts(const elem_t *part, unsigned parts, elem_t *sum, elem_t *squares)
{
    elem_t x = 0, y = 0;

    for (unsigned i = threadIdx.x; i < parts; i += BLOCK)
        x += part[2 * i], y += part[2 * i + 1];
    add_block(x, y, sum, squares);
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sum = task_out(task, "sum");
    elem_t *squares = task_out(task, "squares");
    size_t n = task_size(task, "n");
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    elem_t *part;

    CHECK(cudaMalloc(&part, 2 * blocks * sizeof *part));
    add_blocks<<<blocks, BLOCK>>>(in, part, n);
    CHECK(cudaGetLastError());
    add_parts<<<1, BLOCK>>>(part, blocks, sum, squares);
    CHECK(cudaFree(part));
    CHECK(cudaGetLastError());
}
