/* What else a kernel may touch: __device__ and __constant__ variables, and its own local array,
 * also through a pointer. */
// expect: nothing
#include <stdio.h>

#define BLOCK 64

__constant__ int weights[4];
__device__ int table[2 * BLOCK], total;

__device__ __noinline__ void fill(int *local, int first)
{
    for (int k = 0; k < 4; k++)
        local[k] = first + k;
}

__global__ void weigh()
{
    int local[4], sum = 0, i = blockIdx.x * BLOCK + threadIdx.x;

    fill(local, i);
    for (int k = 0; k < 4; k++)
        sum += weights[k] * local[(i + k) % 4];
    table[i] = sum;
    atomicAdd(&total, sum);
}

int main()
{
    int host[4] = {1, 1, 1, 1}, result = 0, last = 0;

    cudaMemcpyToSymbol(weights, host, sizeof host);
    weigh<<<2, BLOCK>>>();
    cudaMemcpyFromSymbol(&result, total, sizeof result);
    cudaMemcpyFromSymbol(&last, table, sizeof last, (2 * BLOCK - 1) * sizeof(int));
    printf("%d and %d\n", result, last);
    return result != 33280 || last != 514;
}
