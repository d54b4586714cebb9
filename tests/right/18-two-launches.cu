/* Right: each block stores its counts, and a second launch adds them up. */
#include "task.h"

__global__ void count(const int *keys, int *part, size_t n)
{
    __shared__ int s[64];

    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        s[k] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * 4096 + threadIdx.x; i < n && i < (blockIdx.x + 1) * 4096;
         i += blockDim.x)
        atomicAdd(&s[keys[i]], 1);
    __syncthreads();
    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        part[blockIdx.x * 64 + k] = s[k];
}

__global__ void add(const int *part, int *counts, size_t blocks)
{
    int sum = 0;

    for (size_t b = 0; b < blocks; b++)
        sum += part[b * 64 + threadIdx.x];
    counts[threadIdx.x] = sum;
}

void task_run(const struct task *task)
{
    const int *keys = task_in_int(task, "keys");
    int *counts = task_out_int(task, "counts"), *part;
    size_t n = task_size(task, "n"), blocks = (n + 4095) / 4096;

    CHECK(cudaMalloc(&part, blocks * 64 * sizeof *part));
    count<<<blocks, 512>>>(keys, part, n);
    add<<<1, 64>>>(part, counts, blocks);
    CHECK(cudaFree(part));
    CHECK(cudaGetLastError());
}
