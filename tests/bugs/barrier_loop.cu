/* A barrier in a loop that some threads go through once more than others, n being no multiple of
 * the block. With n = 128 all go round equally often.
 * Fix: the sums are each thread's own, so the loop needs no barrier. */
// expect: divergent barrier
// gpu: hangs
#include <stdio.h>

#define BLOCK 64
#define N     144

__global__ void sum(const int *in, int *out, unsigned n)
{
    __shared__ int s[BLOCK];
    unsigned tid = threadIdx.x;

    s[tid] = 0;
    for (unsigned i = tid; i < n; i += BLOCK) {
        s[tid] += in[i];
#ifndef FIXED
        __syncthreads(); // BUG
#endif
    }
    __syncthreads(); // BUG
    if (tid == 0) {
        int v = 0;
        for (unsigned i = 0; i < BLOCK; i++)
            v += s[i];
        *out = v;
    }
}

int main()
{
    int host[N], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, BLOCK>>>(in, out, N);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
