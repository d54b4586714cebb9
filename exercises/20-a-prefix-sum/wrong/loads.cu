/* Each thread adds up the elements before its own in its warp, and then those of the other warps.
 */
#include "task.h"

#define BLOCK 256 /* threads per block, elements of a segment */

__global__ void add_before(const elem_t *in, elem_t *prefix, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t sum = 0;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned k = tid / 32 * 32; k <= tid; k++)
        sum += s[k];
    for (unsigned k = 0; k < tid / 32 * 32; k++)
        sum += s[k];

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
