/* The threads copy, 16 bytes at a time, and the host adds. */
#include "task.h"

#define EACH (16 / sizeof(elem_t)) /* elements at once */

struct wide {
    __align__(16) elem_t of[EACH];
};

__global__ void copy(const elem_t *in, wide *out, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, k = i * EACH;
    wide w;

    if (k + EACH <= n)
        w = ((const wide *)in)[i];
    else
        for (size_t j = 0; j < EACH; j++)
            w.of[j] = k + j < n ? in[k + j] : 0;
    if (k < n)
        out[i] = w;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *out = task_out(task, "sum"), *m, total = 0;
    size_t n = task_size(task, "n");

    CHECK(cudaMallocManaged((void **)&m, (n + EACH) * sizeof *m));
    copy<<<(n / EACH + 256) / 256, 256>>>(in, (wide *)m, n);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < n; i++)
        total += m[i];
    CHECK(cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice));
}
