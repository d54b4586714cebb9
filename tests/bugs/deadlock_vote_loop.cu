/* A vote of the whole warp in a loop whose length depends on the lane: lanes with small values
 * leave it and wait at the barrier, the others vote and wait for them.
 * Fix: the same number of rounds for all. */
// expect: deadlock
// gpu: hangs
#include <stdio.h>

#define N    32
#define BITS 5

__global__ void used_bits(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned lane = threadIdx.x;
    int v = in[lane], used = 0;

#ifdef FIXED
    for (int bit = 0; bit < BITS; bit++)
#else
    for (int bit = 0; v >> bit != 0; bit++)
#endif
        used += __any_sync(0xffffffff, v >> bit & 1) << bit; // BUG
    s[lane] = used;
    __syncthreads(); // BUG
    out[lane] = s[N - 1 - lane];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i & 0x16;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    used_bits<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 0x16;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
