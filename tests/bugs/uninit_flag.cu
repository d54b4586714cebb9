/* A flag is set when a negative element is found, and read in any case. If there is none, nobody
 * has ever written it; tests with a negative element never see that.
 * Fix: one thread clears it, before a barrier. */
// expect: uninitialised shared memory
#include <stdio.h>

#define N 128

__global__ void any_negative(const int *in, int *out)
{
    __shared__ int found;
    unsigned tid = threadIdx.x;

#ifdef FIXED
    if (tid == 0)
        found = 0;
    __syncthreads();
#endif
    if (in[tid] < 0)
        atomicExch(&found, 1);
    __syncthreads();
    if (tid == 0)
        *out = found; // BUG
}

int main()
{
    int host[N], result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    any_negative<<<1, N>>>(in, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected 0\n", result);
    return result != 0;
}
