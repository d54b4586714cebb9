/* A sum in one launch: the last block to draw a ticket adds the sums of all blocks. Without a
 * fence between a block's sum and its ticket, the ticket may be seen before the sum.
 * Fix: __threadfence() before the atomic. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK  32
#define BLOCKS 16
#define N      (BLOCK * BLOCKS)

__global__ void sum(const int *in, int *sums, int *out, unsigned *ticket)
{
    unsigned lane = threadIdx.x, last = 0;
    int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * BLOCK + lane]);

    if (lane == 0) {
        sums[blockIdx.x] = v; // BUG
#ifdef FIXED
        __threadfence();
#endif
        last = atomicInc(ticket, BLOCKS - 1) == BLOCKS - 1;
        __threadfence();
    }
    if (lane == 0 && last) {
        v = 0;
        for (unsigned i = 0; i < BLOCKS; i++)
            v += sums[i]; // BUG
        *out = v;
    }
}

int main()
{
    int host[N], expected = 0, result = 0, *in, *sums, *out;
    unsigned *ticket;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 11;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&sums, N * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMalloc(&ticket, sizeof(unsigned));
    cudaMemset(ticket, 0, sizeof(unsigned));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, BLOCK>>>(in, sums, out, ticket);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
