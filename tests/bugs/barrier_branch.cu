/* A __syncthreads() that only the lower half of the warp reaches, while the upper half waits at
 * the next one. The hardware counts arrivals, not places, so that mostly nobody hangs.
 * Fix: take the barrier out of the branch. */
// expect: divergent barrier
#include <stdio.h>

#define N 32

__global__ void sum_pairs(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
#ifdef FIXED
    __syncthreads();
    if (tid < N / 2)
        s[tid] += s[tid + N / 2];
#else
    if (tid < N / 2) {
        __syncthreads(); // BUG
        s[tid] += s[tid + N / 2];
    }
#endif
    __syncthreads(); // BUG
    if (tid < N / 2)
        out[tid] = s[tid];
}

int main()
{
    int host[N], result[N / 2], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_pairs<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N / 2; i++)
        wrong += result[i] != host[i] + host[i + N / 2];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
