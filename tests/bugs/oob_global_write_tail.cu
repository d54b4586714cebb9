/* The guard compares with <= instead of <: one thread writes one element behind the output. The
 * result is right; what lies behind it is destroyed.
 * Fix: i < n. */
// expect: out of bounds in global memory
#include <stdio.h>

#define BLOCK 64
#define N     200

__global__ void fill(int *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

#ifdef FIXED
    if (i < n)
#else
    if (i <= n)
#endif
        out[i] = 3 * i; // BUG
}

int main()
{
    int result[N], wrong = 0, *out;

    cudaMalloc(&out, sizeof result);
    fill<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(out, N);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 3 * i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
