/* One thread does the work of all. */
#include "task.h"
#include <stdlib.h>

__global__ void count(const int *keys, int *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[keys[i]]++;
}

void task_run(const struct task *task)
{
    const int *keys = task_in_int(task, "keys");
    int *counts = task_out_int(task, "counts");
    size_t n = task_size(task, "n");
    CHECK(cudaMemset(counts, 0, 256));
    count<<<1, 1>>>(keys, counts, n);
    CHECK(cudaGetLastError());
}
