/* The first thread sets the total to 0 in the same launch in which all add to it: blocks that
 * came before it are erased. Block 0 usually starts first, and then it looks right.
 * Fix: set it to 0 before the launch. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK  64
#define BLOCKS 8
#define N      (BLOCK * BLOCKS)

__global__ void sum(const float *in, float *total)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;

#ifndef FIXED
    if (i == 0)
        *total = 0; // BUG
    __syncthreads();
#endif
    atomicAdd(total, in[i]); // BUG
}

int main()
{
    float host[N], expected = 0, result = 0, *in, *total;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 13 * 0.5f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&total, sizeof(float));
    cudaMemset(total, 0, sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, BLOCK>>>(in, total);
    cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
    printf("%g, expected %g\n", result, expected);
    return result != expected;
}
