/* A smoothing in place: thread i reads its neighbours' elements while these overwrite them, in
 * the block and across its border.
 * Fix: read from one array, write to another. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK 64
#define N     250

__global__ void smooth(const float *in, float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (i > 0 && i < n - 1)
        out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1]; // BUG
}

int main()
{
    float host[N], result[N], *in, *out;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i * i % 64;
    cudaMalloc(&in, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
#ifdef FIXED
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
#else
    out = in;
#endif
    smooth<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, N);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 1; i < N - 1; i++)
        wrong += result[i] != 0.25f * host[i - 1] + 0.5f * host[i] + 0.25f * host[i + 1];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
