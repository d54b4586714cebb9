/* Two halves of a warp with a mask each, and each mask names one lane of the other half: lane 15
 * waits with the lower half for lane 16, which waits with the upper half for lane 15.
 * Fix: masks of 16 bits. */
// expect: deadlock
// gpu: hangs
#include <stdio.h>

#define N 32
#ifdef FIXED
#define LOWER 0x0000ffff
#define UPPER 0xffff0000
#else
#define LOWER 0x0001ffff
#define UPPER 0xffff8000
#endif

__global__ void reverse_halves(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned lane = threadIdx.x;

    s[lane] = in[lane];
    if (lane < 16)
        __syncwarp(LOWER); // BUG
    else
        __syncwarp(UPPER); // BUG
    out[lane] = s[lane ^ 15];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse_halves<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i ^ 15);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
