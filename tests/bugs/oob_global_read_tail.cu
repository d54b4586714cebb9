/* N is no multiple of the block, and the last block's idle threads read behind the input. What
 * lies there mostly belongs to the program, too, so that nothing crashes: the sum is wrong at
 * times.
 * Fix: a thread past N takes 0. */
// expect: out of bounds in global memory
#include <stdio.h>

#define BLOCK 256
#define N     1000

__global__ void sum(const int *in, int *out)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
#ifdef FIXED
    int v = i < N ? in[i] : 0;
#else
    int v = in[i]; // BUG
#endif
    v = __reduce_add_sync(0xffffffff, v);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
}

int main()
{
    int host[N], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
