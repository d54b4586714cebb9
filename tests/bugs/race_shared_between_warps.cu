/* __syncwarp() where __syncthreads() is needed: thread 0 reads what thread 63, of another warp,
 * wrote. With a block of 32 the same kernel is right.
 * Fix: __syncthreads(). */
// expect: race in shared memory
#include <stdio.h>

#define N 64

__global__ void reverse(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid]; // BUG
#ifdef FIXED
    __syncthreads();
#else
    __syncwarp();
#endif
    out[tid] = s[N - 1 - tid]; // BUG
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
