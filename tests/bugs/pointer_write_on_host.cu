/* The host clears the total with an assignment, as if the pointer were its own. On a GPU it
 * crashes here, without a word of CUDA.
 * Fix: cudaMemset. */
// expect: device pointer on the host
#include <stdio.h>

#define N 100

__global__ void count_even(const int *in, int *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 0)
        atomicAdd(total, 1);
}

int main()
{
    int host[N], result = 0, *in, *total;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&total, sizeof(int));
#ifdef FIXED
    cudaMemset(total, 0, sizeof(int));
#else
    *total = 0; // BUG
#endif
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    count_even<<<4, 32>>>(in, total, N);
    cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, N / 2);
    return result != N / 2;
}
