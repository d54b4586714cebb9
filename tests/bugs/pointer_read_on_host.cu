/* The host adds up the blocks' sums straight from device memory. On a GPU it crashes here,
 * without a word of CUDA.
 * Fix: cudaMemcpy to the host first. */
// expect: device pointer on the host
#include <stdio.h>

#define BLOCK  32
#define BLOCKS 8
#define N      (BLOCK * BLOCKS)

__global__ void sum(const int *in, int *sums)
{
    int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * BLOCK + threadIdx.x]);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = v;
}

int main()
{
    int host[N], expected = 0, result = 0, *in, *sums;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, BLOCKS * sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, BLOCK>>>(in, sums);
    cudaDeviceSynchronize();
#ifdef FIXED
    int copy[BLOCKS];
    cudaMemcpy(copy, sums, sizeof copy, cudaMemcpyDeviceToHost);
    sums = copy;
#endif
    for (int i = 0; i < BLOCKS; i++)
        result += sums[i]; // BUG
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
