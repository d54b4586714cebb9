/* One byte a thread, and the neighbour's byte read with no barrier between. Bytes of one word do
 * not disturb each other; reading one that another thread writes is a race as with words.
 * Fix: __syncthreads(). */
// expect: race in shared memory
#include <stdio.h>

#define N 128

__global__ void rising(const int *in, int *out)
{
    __shared__ char odd[N];
    unsigned tid = threadIdx.x;

    odd[tid] = in[tid] & 1; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    out[tid] = odd[(tid + 33) % N]; // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i * i / 3;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    rising<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (host[(i + 33) % N] & 1);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
