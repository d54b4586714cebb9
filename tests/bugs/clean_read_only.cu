/* All threads of all blocks read the same words, none writes them. Each block's threads share
 * what one of them stored before the barrier. */
// expect: nothing
#include <stdio.h>

#define BLOCK  96
#define BLOCKS 5
#define N      (BLOCK * BLOCKS)

__global__ void polynomial(const float *x, const float *coefficients, float *out)
{
    __shared__ float c[3];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    if (threadIdx.x < 3)
        c[threadIdx.x] = coefficients[threadIdx.x];
    __syncthreads();
    out[i] = (c[2] * x[i] + c[1]) * x[i] + c[0] + coefficients[0];
}

int main()
{
    float x[N], result[N], coefficients[3] = {1, 2, 3}, *d_x, *d_c, *out;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        x[i] = i % 32;
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_c, sizeof coefficients);
    cudaMalloc(&out, sizeof x);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(d_c, coefficients, sizeof coefficients, cudaMemcpyHostToDevice);
    polynomial<<<BLOCKS, BLOCK>>>(d_x, d_c, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 3 * x[i] * x[i] + 2 * x[i] + 2;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
