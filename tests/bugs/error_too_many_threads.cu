/* A block of 2048 threads: no GPU has that, the launch fails, the kernel never runs. Nobody asks,
 * and the program ends as if all were well.
 * Fix: two blocks of 1024. */
// expect: error nobody looked at
#include <stdio.h>

#define N 2048
#ifdef FIXED
#define BLOCK 1024
#else
#define BLOCK N
#endif

__global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}

int main()
{
    int result = 0, *out;

    cudaMalloc(&out, N * sizeof(int));
    cudaMemset(out, 0, N * sizeof(int));
    fill<<<N / BLOCK, BLOCK>>>(out); // BUG
    cudaMemcpy(&result, out + N - 1, sizeof result, cudaMemcpyDeviceToHost);
    printf("the last is %d\n", result);
    return 0;
}
