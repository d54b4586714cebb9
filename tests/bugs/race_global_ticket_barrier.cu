/* A sum in one launch: each warp stores its sum, thread 0 draws the block's ticket. Its fence
 * covers its own warp's sum only: nothing says that the other warps have stored theirs.
 * Fix: __syncthreads() before the ticket. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK  64
#define BLOCKS 8
#define N      (BLOCK * BLOCKS)

__global__ void sum(const int *in, int *sums, int *out, unsigned *ticket)
{
    __shared__ bool last;
    unsigned tid = threadIdx.x, warp = blockIdx.x * 2 + tid / 32;
    int v = __reduce_add_sync(0xffffffff, in[blockIdx.x * BLOCK + tid]);

    if (tid % 32 == 0)
        sums[warp] = v; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    if (tid == 0) {
        __threadfence();
        last = atomicInc(ticket, BLOCKS - 1) == BLOCKS - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && tid < 32) {
        v = tid < 2 * BLOCKS ? sums[tid] : 0; // BUG
        v = __reduce_add_sync(0xffffffff, v);
        if (tid == 0)
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
