/* Only n of the block's threads load an element, but the tree adds all of them. Shared memory
 * often holds 0, or the sums of the kernel before.
 * Fix: threads past n store 0. */
// expect: uninitialised shared memory
#include <stdio.h>

#define BLOCK 128
#define N     100

__global__ void sum(const int *in, int *out, unsigned n)
{
    __shared__ int s[BLOCK];
    unsigned tid = threadIdx.x;

#ifdef FIXED
    s[tid] = tid < n ? in[tid] : 0;
#else
    if (tid < n)
        s[tid] = in[tid];
#endif
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (tid < d)
            s[tid] += s[tid + d]; // BUG
    }
    if (tid == 0)
        *out = s[0];
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
