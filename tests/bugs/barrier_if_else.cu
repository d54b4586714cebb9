/* A barrier in either branch: every thread meets one, but not the same one. CUDA requires all
 * threads of a block to reach the same __syncthreads(); that it often works is luck.
 * Fix: one barrier behind the branches. */
// expect: divergent barrier
#include <stdio.h>

#define N 64

__global__ void mix(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    if (tid % 32 < 16) {
        s[tid] = in[tid];
#ifndef FIXED
        __syncthreads(); // BUG
#endif
    } else {
        s[tid] = -in[tid];
#ifndef FIXED
        __syncthreads(); // BUG
#endif
    }
#ifdef FIXED
    __syncthreads();
#endif
    out[tid] = s[N - 1 - tid];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    mix<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i % 32 < 16 ? -host[N - 1 - i] : host[N - 1 - i]);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
