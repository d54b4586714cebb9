/* The first warp waits "for its own load", which __syncthreads() cannot mean: it meets the second
 * warp at another barrier, and from then on the two are one barrier apart.
 * Fix: leave that barrier out. */
// expect: divergent barrier
#include <stdio.h>

#define N 64

__global__ void reverse(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
#ifndef FIXED
    if (tid < 32)
        __syncthreads(); // BUG
#endif
    __syncthreads(); // BUG
    out[tid] = s[N - 1 - tid];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != N - 1 - i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
