/* A list of at most LIMIT elements: the plain look at the counter races with the atomics that
 * raise it, and several threads may pass it before any of them has counted.
 * Fix: look at what the atomicAdd returned. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK  128
#define BLOCKS 4
#define N      (BLOCK * BLOCKS)
#define LIMIT  50

__global__ void collect(const int *in, int *list, int *count)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;

    if (in[i] % 3 != 0)
        return;
#ifndef FIXED
    if (*count >= LIMIT) // BUG
        return;
#endif
    int place = atomicAdd(count, 1); // BUG
#ifdef FIXED
    if (place >= LIMIT)
        return;
#endif
    list[place] = in[i];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *list, *count;

    for (int i = 0; i < N; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&list, sizeof result);
    cudaMalloc(&count, sizeof(int));
    cudaMemset(list, 0, sizeof result);
    cudaMemset(count, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    collect<<<BLOCKS, BLOCK>>>(in, list, count);
    cudaMemcpy(result, list, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += i < LIMIT ? result[i] == 0 || result[i] % 3 != 0 : result[i] != 0;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
