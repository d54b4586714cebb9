/* One thread does the work of all. */
#include "task.h"

__global__ void add(const elem_t *in, elem_t *sum, size_t n)
{
    double total = 0;

    for (size_t i = 0; i < n; i++)
        total += in[i];
    *sum = (elem_t)total;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sum = task_out(task, "price");
    size_t n = task_size(task, "n");

    add<<<1, 1>>>(in, sum, n);
    CHECK(cudaGetLastError());
}
