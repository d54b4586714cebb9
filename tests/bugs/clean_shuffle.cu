/* A reduction by shuffles, with shared memory between the warps only, and a block that is no
 * multiple of the warp: the lanes of the last, short warp are named by their mask. */
// expect: nothing
#include <stdio.h>

#define BLOCK 80

__device__ int sum_of_lanes(unsigned mask, int lanes, int v)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        v += __shfl_down_sync(mask, v, d, lanes);
    return v;
}

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[32];
    unsigned tid = threadIdx.x;
    int v = tid < 64 ? sum_of_lanes(0xffffffff, 32, in[tid]) : sum_of_lanes(0xffff, 16, in[tid]);

    if (tid % 32 == 0)
        s[tid / 32] = v;
    __syncthreads();
    if (tid < 32) {
        v = sum_of_lanes(0xffffffff, 32, tid < 3 ? s[tid] : 0);
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
