/* Right: a tree upwards and downwards, by 128 threads with two elements each. */
#include "task.h"

__global__ void add_before(const elem_t *in, elem_t *prefix, size_t n)
{
    __shared__ elem_t s[256];
    unsigned tid = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 256;

    for (unsigned k = tid; k < 256; k += 128)
        s[k] = first + k < n ? in[first + k] : 0;
    for (unsigned d = 1; d < 256; d *= 2) {
        unsigned k = (tid + 1) * 2 * d - 1;
        __syncthreads();
        if (k < 256)
            s[k] += s[k - d];
    }
    for (unsigned d = 64; d > 0; d /= 2) {
        unsigned k = (tid + 1) * 2 * d - 1;
        __syncthreads();
        if (k + d < 256)
            s[k + d] += s[k];
    }
    __syncthreads();
    for (unsigned k = tid; k < 256; k += 128)
        if (first + k < n)
            prefix[first + k] = s[k];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *prefix = task_out(task, "prefix");
    size_t n = task_size(task, "n");
    add_before<<<(n + 255) / 256, 128>>>(in, prefix, n);
    CHECK(cudaGetLastError());
}
