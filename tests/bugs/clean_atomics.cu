/* Atomics of all blocks on the same words, in global and in shared memory: they do not race with
 * each other. */
// expect: nothing
#include <stdio.h>

#define BLOCK  128
#define BLOCKS 6
#define N      (BLOCK * BLOCKS)

__global__ void statistics(const int *in, int *total, int *largest, float *mean)
{
    __shared__ int sum;
    int v = in[blockIdx.x * BLOCK + threadIdx.x];

    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, v);
    atomicMax(largest, v);
    atomicAdd(mean, 1.0f * v / N);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

int main()
{
    int host[N], expected = 0, result[2], *in, *out;
    float mean = 0, *d_mean;

    for (int i = 0; i < N; i++)
        expected += host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMalloc(&d_mean, sizeof mean);
    cudaMemset(out, 0, sizeof result);
    cudaMemset(d_mean, 0, sizeof mean);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    statistics<<<BLOCKS, BLOCK>>>(in, out, out + 1, d_mean);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(&mean, d_mean, sizeof mean, cudaMemcpyDeviceToHost);
    printf("sum %d, largest %d, mean %g\n", result[0], result[1], mean);
    return result[0] != expected || result[1] != N - 1 || mean < 383.4f || mean > 383.6f;
}
