/* A shuffle with the full mask in a branch of 16 lanes: it waits for the other 16, which wait at
 * the barrier behind the branch. Some GPUs let it pass, and hand out anything.
 * Fix: all lanes shuffle, the branch decides who uses it. */
// expect: deadlock
// gpu: hangs
#include <stdio.h>

#define N 32

__global__ void sum_halves(const int *in, int *out)
{
    __shared__ int s[16];
    unsigned lane = threadIdx.x;
    int v = in[lane];

#ifdef FIXED
    int upper = __shfl_down_sync(0xffffffff, v, 16);
    if (lane < 16)
        s[lane] = v + upper;
#else
    if (lane < 16)
        s[lane] = v + __shfl_down_sync(0xffffffff, v, 16); // BUG
#endif
    __syncthreads(); // BUG
    out[lane] = s[lane % 16];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_halves<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 2 * (i % 16) + 16;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
