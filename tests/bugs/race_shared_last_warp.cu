/* The two elements beyond the tile are loaded after the barrier: only the last thread can meet
 * them too early, and a warp in step hides even that.
 * Fix: load them before the barrier. */
// expect: race in shared memory
#include <stdio.h>

#define BLOCK 128
#define N     512

__global__ void add_three(const int *in, int *out)
{
    __shared__ int s[BLOCK + 2];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    s[tid] = in[i];
#ifdef FIXED
    if (tid >= BLOCK - 2)
        s[tid + 2] = in[i + 2];
    __syncthreads();
#else
    __syncthreads();
    if (tid >= BLOCK - 2)
        s[tid + 2] = in[i + 2]; // BUG
#endif
    out[i] = s[tid] + s[tid + 1] + s[tid + 2]; // BUG
}

int main()
{
    int host[N + 2], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N + 2; i++)
        host[i] = i * i % 97;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add_three<<<N / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != host[i] + host[i + 1] + host[i + 2];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
