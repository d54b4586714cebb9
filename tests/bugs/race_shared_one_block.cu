/* Full tiles are loaded and awaited; the branch for the last, partial one forgets the barrier.
 * All blocks but one are right, and with n a multiple of the block all of them.
 * Fix: one __syncthreads() after both branches. */
// expect: race in shared memory
#include <stdio.h>

#define BLOCK  128
#define N      (7 * BLOCK + 50)
#define BLOCKS 8

__global__ void reverse_tiles(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK];
    int tid = threadIdx.x, first = blockIdx.x * BLOCK;

    if (first + BLOCK <= n) {
        s[tid] = in[first + tid];
        __syncthreads();
    } else {
        s[tid] = first + tid < n ? in[first + tid] : 0; // BUG
#ifdef FIXED
        __syncthreads();
#endif
    }
    out[first + tid] = s[BLOCK - 1 - tid]; // BUG
}

int main()
{
    int host[N], result[BLOCKS * BLOCK], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse_tiles<<<BLOCKS, BLOCK>>>(in, out, N);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCKS * BLOCK; i++) {
        int from = i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
        wrong += result[i] != (from < N ? host[from] : 0);
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
