/* __syncwarp(0xffff) orders the lower 16 lanes among themselves, not with the upper 16, whose
 * values they read. The mask names who reads, as one is tempted to write it.
 * Fix: the whole warp calls __syncwarp() before the branch. */
// expect: race in shared memory
#include <stdio.h>

#define N 32

__global__ void sum_pairs(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned lane = threadIdx.x;

    s[lane] = in[lane]; // BUG
#ifdef FIXED
    __syncwarp();
#endif
    if (lane < 16) {
#ifndef FIXED
        __syncwarp(0xffff);
#endif
        out[lane] = s[lane] + s[lane + 16]; // BUG
    }
}

int main()
{
    int host[N], result[N / 2], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = 3 * i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_pairs<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N / 2; i++)
        wrong += result[i] != host[i] + host[i + 16];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
