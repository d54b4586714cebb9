/* Block 0 clears the output, 16 bytes a thread, while the other blocks already write their ints
 * to it. Block 0 usually starts first, and then it looks right.
 * Fix: clear it before the launch. */
// expect: race in global memory
#include <stdio.h>

#define BLOCK 64
#define N     (4 * BLOCK)

__global__ void keep_even(const int *in, int *out)
{
    unsigned tid = threadIdx.x, i = (blockIdx.x - 1) * BLOCK + tid;

    if (blockIdx.x == 0) {
#ifndef FIXED
        ((int4 *)out)[tid] = make_int4(0, 0, 0, 0); // BUG
#endif
    } else if (in[i] % 2 == 0) {
        out[i] = in[i]; // BUG
    }
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    keep_even<<<1 + N / BLOCK, BLOCK>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (host[i] % 2 == 0 ? host[i] : 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
