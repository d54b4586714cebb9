/* The second launch reads what all blocks of the first wrote, and overwrites what they read: the
 * end of a launch orders everything. */
// expect: nothing
#include <stdio.h>

#define BLOCK 64
#define N     (4 * BLOCK)

__global__ void shift(const int *from, int *to)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    to[i] = from[(i + BLOCK + 1) % N];
}

int main()
{
    int host[N], result[N], wrong = 0, *a, *b;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    shift<<<N / BLOCK, BLOCK>>>(a, b);
    shift<<<N / BLOCK, BLOCK>>>(b, a);
    cudaMemcpy(result, a, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemset(a, 0, sizeof host);
    shift<<<N / BLOCK, BLOCK>>>(b, a);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i + 2 * BLOCK + 2) % N;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
