/* The output is allocated with malloc and written by the kernel. The pointer looks like any
 * other, and the compiler cannot tell.
 * Fix: cudaMalloc, and cudaMemcpy behind the launch. */
// expect: host pointer in a kernel
#include <stdio.h>
#include <stdlib.h>

#define N 128

__global__ void squares(int *out)
{
    int i = threadIdx.x;
    out[i] = i * i; // BUG
}

int main()
{
    int *result = (int *)calloc(N, sizeof(int)), wrong = 0;

#ifdef FIXED
    int *out;
    cudaMalloc(&out, N * sizeof(int));
    squares<<<1, N>>>(out);
    cudaMemcpy(result, out, N * sizeof(int), cudaMemcpyDeviceToHost);
#else
    squares<<<1, N>>>(result);
    cudaDeviceSynchronize();
#endif
    for (int i = 0; i < N; i++)
        wrong += result[i] != i * i;
    printf("%d wrong\n", wrong);
    free(result);
    return wrong != 0;
}
