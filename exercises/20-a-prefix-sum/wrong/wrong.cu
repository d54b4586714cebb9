/* All threads below the distance add their first element once more. */
#include "task.h"

#define BLOCK 256 /* threads per block, elements of a segment */

__global__ void add_before(const elem_t *in, elem_t *prefix, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t sum = i < n ? in[i] : 0;

    s[tid] = sum;
    __syncthreads();

    for (unsigned d = 1; d < BLOCK; d *= 2) {
        sum += s[tid >= d ? tid - d : 0];
        __syncthreads(); /* all have read */
        s[tid] = sum;
        __syncthreads(); /* all have written */
    }

    if (i < n)
        prefix[i] = sum;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *prefix = task_out(task, "prefix");
    size_t n = task_size(task, "n");

    add_before<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, prefix, n);
    CHECK(cudaGetLastError());
}
