/* Half a warp reduces with a mask of 16 lanes, but begins with the distance of a whole one: lane
 * 0 asks lane 16, which does not take part. What it gets is undefined.
 * Fix: begin with 8. */
// expect: warp operation with a wrong mask
#include <stdio.h>

#define N 32
#ifdef FIXED
#define FIRST 8
#else
#define FIRST 16
#endif

__global__ void sum_lower_half(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];

    if (lane < 16) {
        for (int d = FIRST; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffff, v, d); // BUG
        out[lane] = v;
    }
}

int main()
{
    int host[N], result[16], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_lower_half<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++)
        wrong += result[i] != 120;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
