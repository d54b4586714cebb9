/* The first warps load the tile with 16 bytes a thread, all threads then read 4: without a
 * barrier the later warps read a tile that is not there yet.
 * Fix: __syncthreads() after the load. */
// expect: race in shared memory
#include <stdio.h>

#define N 256

__global__ void shift(const int4 *in, int *out)
{
    __shared__ int4 s[N / 4];
    unsigned tid = threadIdx.x;
    const int *words = (const int *)s;

    if (tid < N / 4)
        s[tid] = in[tid]; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    out[tid] = words[(tid + 1) % N]; // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<1, N>>>((const int4 *)in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i + 1) % N;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
