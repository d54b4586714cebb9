/* The first buffer is freed and then read by a second launch. Freed device memory mostly stays
 * mapped and keeps its values until somebody else gets it.
 * Fix: free it after its last use. */
// expect: out of bounds in global memory
#include <stdio.h>

#define N 128

__global__ void copy_reversed(const int *in, int *out)
{
    out[threadIdx.x] = in[N - 1 - threadIdx.x]; // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *a, *b, *c;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&c, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    copy_reversed<<<1, N>>>(a, b);
#ifndef FIXED
    cudaFree(b);
#endif
    copy_reversed<<<1, N>>>(b, c);
    cudaMemcpy(result, c, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != i;
    printf("%d wrong\n", wrong);
#ifdef FIXED
    cudaFree(b);
#endif
    return wrong != 0;
}
