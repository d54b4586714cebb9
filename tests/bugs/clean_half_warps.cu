/* The halves of a warp go different ways, each with the mask of its own lanes, and meet at the
 * end. */
// expect: nothing
#include <stdio.h>

#define N 32

__global__ void sum_or_reverse(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned lane = threadIdx.x;
    int v = in[lane];

    s[lane] = v;
    if (lane < 16) {
        for (int d = 8; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffff, v, d, 16);
    } else {
        __syncwarp(0xffff0000);
        v = s[47 - lane];
    }
    __syncwarp();
    s[lane] = v;
    __syncwarp();
    out[lane] = s[lane ^ 16];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_or_reverse<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i < 16 ? 31 - i : 120);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
