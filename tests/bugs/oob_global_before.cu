/* The difference to the left neighbour: thread 0 has none and reads in[-1]. In front of an array
 * there is mostly another one, so that only one result of many is wrong.
 * Fix: thread 0 takes 0 for it. */
// expect: out of bounds in global memory
#include <stdio.h>

#define BLOCK 128
#define N     (2 * BLOCK)

__global__ void difference(const int *in, int *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
#ifdef FIXED
    int left = i > 0 ? in[i - 1] : 0;
#else
    int left = in[i - 1]; // BUG
#endif
    out[i] = in[i] - left;
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    difference<<<N / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i > 0 ? 2 * i - 1 : 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
