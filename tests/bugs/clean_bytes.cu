/* Neighbouring threads, also of different warps and blocks, write different bytes of one word, in
 * shared and global memory: no race. */
// expect: nothing
#include <stdio.h>

#define BLOCK 50
#define N     (3 * BLOCK)

__global__ void invert(const unsigned char *in, unsigned char *out, short *wide)
{
    __shared__ unsigned char s[BLOCK];
    __shared__ short t[BLOCK];
    unsigned tid = threadIdx.x, i = blockIdx.x * BLOCK + tid;

    s[tid] = in[i];
    t[tid] = s[tid];
    s[tid] = ~s[tid];
    out[i] = s[tid];
    wide[i] = t[tid] + s[tid];
}

int main()
{
    unsigned char host[N], result[N], *in, *out;
    short sums[N], *wide;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&wide, sizeof sums);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    invert<<<N / BLOCK, BLOCK>>>(in, out, wide);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, wide, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 255 - host[i] || sums[i] != 255;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
