/* Each thread adds up its elements in dynamic shared memory and never sets its sum to 0 first.
 * Nobody else does: neither CUDA nor the launch clears shared memory.
 * Fix: s[tid] = 0. */
// expect: uninitialised shared memory
#include <stdio.h>

#define BLOCK 64
#define N     1000

__global__ void sum(const float *in, float *out, unsigned n)
{
    extern __shared__ float s[];
    unsigned tid = threadIdx.x;

#ifdef FIXED
    s[tid] = 0;
#endif
    for (unsigned i = tid; i < n; i += BLOCK)
        s[tid] += in[i]; // BUG
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d];
    }
    if (tid == 0)
        *out = s[0];
}

int main()
{
    float host[N], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7 - 2.5f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, BLOCK, BLOCK * sizeof(float)>>>(in, out, N);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%g, expected %g\n", result, expected);
    return result != expected;
}
