/* The counts begin with anything. */
#include "task.h"

#define BLOCK 256  /* threads per block */
#define TILE  4096 /* keys a block */
#define BINS  64

__global__ void count(const int *keys, int *counts, size_t n)
{
    __shared__ int s[BINS];
    unsigned tid = threadIdx.x;
    size_t first = (size_t)blockIdx.x * TILE;
    size_t end = first + TILE < n ? first + TILE : n;

    for (size_t i = first + tid; i < end; i += BLOCK)
        atomicAdd(&s[keys[i]], 1);
    __syncthreads();

    if (tid < BINS)
        atomicAdd(&counts[tid], s[tid]);
}

void task_run(const struct task *task)
{
    const int *keys = task_in_int(task, "keys");
    int *counts = task_out_int(task, "counts");
    size_t n = task_size(task, "n");

    CHECK(cudaMemset(counts, 0, BINS * sizeof *counts));
    count<<<(n + TILE - 1) / TILE, BLOCK>>>(keys, counts, n);
    CHECK(cudaGetLastError());
}
