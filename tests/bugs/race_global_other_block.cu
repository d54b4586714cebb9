/* A block adds the sum that its predecessor writes in the same launch. Blocks run in any order
 * and side by side: no barrier reaches across them.
 * Fix: two launches, the second reads what the first wrote. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK  32
#define BLOCKS 8
#define N      (BLOCK * BLOCKS)

__global__ void sums_of_blocks(const int *in, int *sums, int *pairs)
{
    unsigned b = blockIdx.x;
    int v = __reduce_add_sync(0xffffffff, in[b * BLOCK + threadIdx.x]);

    if (threadIdx.x == 0) {
        sums[b] = v; // BUG
#ifdef FIXED
        pairs[b] = v;
#else
        pairs[b] = v + (b > 0 ? sums[b - 1] : 0); // BUG
#endif
    }
}

__global__ void add_pairs(const int *sums, int *pairs)
{
    unsigned b = threadIdx.x;
    if (b > 0)
        pairs[b] += sums[b - 1];
}

int main()
{
    int host[N], result[BLOCKS], *in, *sums, *pairs;

    for (int i = 0; i < N; i++)
        host[i] = i / BLOCK;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, sizeof result);
    cudaMalloc(&pairs, sizeof result);
    cudaMemset(sums, 0, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sums_of_blocks<<<BLOCKS, BLOCK>>>(in, sums, pairs);
#ifdef FIXED
    add_pairs<<<1, BLOCKS>>>(sums, pairs);
#endif
    cudaMemcpy(result, pairs, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result[BLOCKS - 1], BLOCK * (2 * BLOCKS - 3));
    return result[BLOCKS - 1] != BLOCK * (2 * BLOCKS - 3);
}
