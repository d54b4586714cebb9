/* The first warp adds 32 sums of warps, but a block of 128 has four warps. With 1024 threads,
 * where all 32 are there, the same kernel is right.
 * Fix: lanes without a warp take 0. */
// expect: uninitialised shared memory
#include <stdio.h>

#define BLOCK 128

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned tid = threadIdx.x;
    int v = __reduce_add_sync(0xffffffff, in[tid]);

    if (tid % 32 == 0)
        s[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
#ifdef FIXED
        v = tid < BLOCK / 32 ? s[tid] : 0;
#else
        v = s[tid]; // BUG
#endif
        v = __reduce_add_sync(0xffffffff, v);
        if (tid == 0)
            *out = v;
    }
}

int main()
{
    int host[BLOCK], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < BLOCK; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, BLOCK>>>(in, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
