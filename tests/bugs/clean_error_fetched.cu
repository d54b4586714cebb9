/* A launch and a copy fail, the program fetches either error and goes on in another way: that is
 * its own affair. */
// expect: nothing
#include <stdio.h>

#define N 2048

__global__ void fill(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i;
}

int main()
{
    int result = 0, *out;

    cudaMalloc(&out, N * sizeof(int));
    fill<<<1, N>>>(out);
    if (cudaGetLastError() != cudaSuccess) {
        printf("%d threads are too many\n", N);
        fill<<<2, N / 2>>>(out);
    }
    cudaMemcpy(&result, out + N - 1, sizeof result, cudaMemcpyHostToDevice);
    if (cudaGetLastError() != cudaSuccess) {
        printf("not to the device\n");
        cudaMemcpy(&result, out + N - 1, sizeof result, cudaMemcpyDeviceToHost);
    }
    printf("the last is %d\n", result);
    return result != N - 1;
}
