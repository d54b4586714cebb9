/* The threads of a block exchange values through global memory and need a barrier there as much
 * as in shared memory. The partner is in the next warp, often a little late.
 * Fix: __syncthreads(), which orders the block's accesses to both memories. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK 64
#define N     (4 * BLOCK)

__global__ void swap_halves(const int *in, int *between, int *out)
{
    unsigned first = blockIdx.x * BLOCK, tid = threadIdx.x;

    between[first + tid] = in[first + tid] + 1; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    out[first + tid] = between[first + (tid ^ 32)]; // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *between, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&between, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(between, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    swap_halves<<<N / BLOCK, BLOCK>>>(in, between, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i ^ 32) + 1;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
