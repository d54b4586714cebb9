/* bins[c]++ in global memory is a load, an addition and a store: counts of threads that meet are
 * lost, within a block and between blocks. Few values in many bins may come out right.
 * Fix: atomicAdd. */
// expect: race in global memory
#include <stdio.h>

#define N    1000
#define BINS 10

__global__ void histogram(const int *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
#ifdef FIXED
        atomicAdd(&bins[in[i] % BINS], 1);
#else
        bins[in[i] % BINS]++; // BUG
#endif
}

int main()
{
    int host[N], expected[BINS] = {0}, result[BINS], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected[(host[i] = i * i % 1009) % BINS]++;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof result);
    histogram<<<(N + 127) / 128, 128>>>(in, out, N);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BINS; i++)
        wrong += result[i] != expected[i];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
