/* A shuffle taken for a barrier: it makes the lanes meet and hands over registers, but promises
 * nothing about the order of their accesses to memory.
 * Fix: __syncwarp() before the other lanes' elements are read. */
// expect: race in shared memory
#include <stdio.h>

#define N 32

__global__ void weigh(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned lane = threadIdx.x;
    int sum = in[lane];

    s[lane] = sum; // BUG
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
#ifdef FIXED
    __syncwarp();
#endif
    out[lane] = s[N - 1 - lane] * sum; // BUG
}

int main()
{
    int host[N], result[N], sum = 0, wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        sum += host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    weigh<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != host[N - 1 - i] * sum;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
