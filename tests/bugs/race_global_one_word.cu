/* Every block writes its sum to sums[0]: the index of the block is forgotten. A grid of one
 * block, as in a first test, is right.
 * Fix: sums[blockIdx.x]. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK  64
#define BLOCKS 4
#define N      (BLOCK * BLOCKS)

__global__ void sum(const int *in, int *sums)
{
    __shared__ int s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = in[blockIdx.x * BLOCK + tid];
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d];
    }
    if (tid == 0)
#ifdef FIXED
        sums[blockIdx.x] = s[0];
#else
        sums[0] = s[0]; // BUG
#endif
}

int main()
{
    int host[N], sums[BLOCKS], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 11;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof sums);
    cudaMemset(out, 0, sizeof sums);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, BLOCK>>>(in, out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCKS; i++)
        result += sums[i];
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
