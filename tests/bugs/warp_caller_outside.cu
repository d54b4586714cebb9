/* A mask of 16 lanes, left over from code for half a warp, in a shuffle that all 32 lanes call: a
 * lane must be in the mask that it passes.
 * Fix: the full mask. */
// expect: warp operation with a wrong mask
#include <stdio.h>

#define N 32
#ifdef FIXED
#define MASK 0xffffffff
#else
#define MASK 0x0000ffff
#endif

__global__ void subtract_first(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];

    out[lane] = v - __shfl_sync(MASK, v, 0); // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i + 5;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    subtract_first<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
