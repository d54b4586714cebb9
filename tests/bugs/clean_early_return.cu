/* Threads past n return before the barriers, which then wait for the others only: allowed, as
 * long as nobody reads what they did not store. */
// expect: nothing
#include <stdio.h>

#define BLOCK 128
#define N     300

__global__ void next_of_block(const int *in, int *out, unsigned n)
{
    __shared__ int s[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    if (i >= n)
        return;
    s[tid] = in[i];
    __syncthreads();
    int next = tid + 1 < BLOCK && i + 1 < n ? s[tid + 1] : 0;
    __syncthreads();
    s[tid] = next + 1;
    __syncthreads();
    out[i] = s[tid > 0 ? tid - 1 : 0];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    next_of_block<<<3, BLOCK>>>(in, out, N);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i % BLOCK > 0 ? i + 1 : i + 2);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
