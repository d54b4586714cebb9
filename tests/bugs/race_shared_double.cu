/* A thread stores 8 bytes, another looks at the upper 4 of them, where the sign is: a race
 * although addresses and sizes differ, and although every store is one instruction.
 * Fix: __syncthreads() between store and look. */
// expect: race in shared memory
#include <stdio.h>

#define N 64

__global__ void opposite_sign(const double *in, int *out)
{
    __shared__ double s[N];
    unsigned tid = threadIdx.x;
    const int *words = (const int *)s;

    s[tid] = in[tid]; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    out[tid] = words[2 * (N - 1 - tid) + 1] < 0; // BUG
}

int main()
{
    double host[N], *in;
    int result[N], wrong = 0, *out;

    for (int i = 0; i < N; i++)
        host[i] = i % 3 - 1.5;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    opposite_sign<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (host[N - 1 - i] < 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
