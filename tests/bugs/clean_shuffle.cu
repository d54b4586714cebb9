/* A reduction by shuffles, with shared memory between the warps only, and a block that is no
 * multiple of the warp: the lanes of the last, short warp are named by their mask. */
// expect: nothing
#include <stdio.h>

#define BLOCK 80

__device__ int sum_of_warp(unsigned mask, int v)
{
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(mask, v, d, mask == 0xffff ? 16 : 32);
        if (d < 16 || mask != 0xffff)
            v += other;
    }
    return v;
}

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned tid = threadIdx.x;
    int v = sum_of_warp(tid < 64 ? 0xffffffff : 0xffff, in[tid]);

    if (tid % 32 == 0)
        s[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
        v = sum_of_warp(0xffffffff, tid < 3 ? s[tid] : 0);
        if (tid == 0)
            *out = v;
    }
}

int main()
{
    int host[BLOCK], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < BLOCK; i++)
        expected += host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, BLOCK>>>(in, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
