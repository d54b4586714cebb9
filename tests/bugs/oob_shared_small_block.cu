/* A last-warp tree that begins with s[lane + 32]: right for blocks of 64 and more, behind the
 * array for a block of 32.
 * Fix: begin with half a block, if that is less than 32. */
// expect: out of bounds in shared memory
#include <stdio.h>

#define BLOCK 32

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    unsigned lane = threadIdx.x;
#ifdef FIXED
    unsigned first = BLOCK / 2;
#else
    unsigned first = 32;
#endif
    s[lane] = in[lane];
    __syncwarp();
    for (unsigned d = first; d > 0; d /= 2) {
        if (lane < d)
            s[lane] += s[lane + d]; // BUG
        __syncwarp();
    }
    if (lane == 0)
        *out = s[0];
}

int main()
{
    int host[BLOCK], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < BLOCK; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, BLOCK>>>(in, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
