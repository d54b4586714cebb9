/* Managed memory belongs to host and device: the host may fill it, and read it when the kernel
 * has ended. */
// expect: nothing
#include <stdio.h>

#define N 100

__global__ void add(const int *in, int *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total, in[i]);
}

int main()
{
    int *in, *total;

    cudaMallocManaged(&in, N * sizeof(int));
    cudaMallocManaged(&total, sizeof(int));
    *total = 0;
    for (int i = 0; i < N; i++)
        in[i] = i;
    add<<<2, 64>>>(in, total, N);
    cudaDeviceSynchronize();
    printf("%d\n", *total);
    return *total != N * (N - 1) / 2;
}
