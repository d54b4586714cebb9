/* Right: a quarter of the threads loads 16 bytes each, where all of them are there. */
#include "task.h"

#define BLOCK 256 /* threads per block */

#define WIDE (16 / sizeof(elem_t))
struct __align__(16) wide
{
    elem_t of[WIDE];
};

__global__ void add_blocks(const elem_t *in, elem_t *parts, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    size_t first = (size_t)blockIdx.x * BLOCK;
    if (first + BLOCK <= n) {
        if (tid < BLOCK / WIDE) {
            struct wide v = ((const struct wide *)(in + first))[tid];
            for (unsigned j = 0; j < WIDE; j++)
                s[tid * WIDE + j] = v.of[j];
        }
    } else
        s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride && i + stride < n)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        parts[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *parts = task_out(task, "parts");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, parts, n);
    CHECK(cudaGetLastError());
}
