/* n / BLOCK blocks are none for n < BLOCK, and an empty grid is no launch but an error. For
 * larger n the same line leaves out the tail.
 * Fix: round up. */
// expect: error nobody looked at
#include <stdio.h>

#define BLOCK 128
#define N     100

__global__ void twice(int *data, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        data[i] *= 2;
}

int main()
{
    int host[N], *data;
#ifdef FIXED
    int blocks = (N + BLOCK - 1) / BLOCK;
#else
    int blocks = N / BLOCK;
#endif

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    twice<<<blocks, BLOCK>>>(data, N); // BUG
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    printf("the last is %d\n", host[N - 1]);
    return 0;
}
