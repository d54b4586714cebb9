/* Block 0 stores the factor, all blocks use it: but each block has a shared memory of its own. A
 * block that follows on the same multiprocessor even finds the value there.
 * Fix: one thread of every block stores it. */
// expect: uninitialised shared memory
#include <stdio.h>

#define BLOCK 64
#define N     (4 * BLOCK)

__global__ void scale(const int *in, int *out)
{
    __shared__ int factor;
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;

#ifdef FIXED
    if (threadIdx.x == 0)
#else
    if (i == 0)
#endif
        factor = in[0];
    __syncthreads();
    out[i] = factor * in[i]; // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i + 3;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<N / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 3 * host[i];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
