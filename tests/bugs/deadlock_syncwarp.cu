/* __syncwarp() without a mask means all 32 lanes, but only 16 come; the others wait at the
 * barrier behind the branch, and everybody waits for ever.
 * Fix: the mask of the lanes that take the branch. */
// expect: deadlock
// gpu: hangs
#include <stdio.h>

#define N 32

__global__ void sum_quarters(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned lane = threadIdx.x;

    s[lane] = in[lane];
    __syncthreads();
    if (lane < 16) {
        s[lane] += s[lane + 16];
#ifdef FIXED
        __syncwarp(0xffff);
#else
        __syncwarp(); // BUG
#endif
        if (lane < 8)
            s[lane] += s[lane + 8];
    }
    __syncthreads(); // BUG
    out[lane] = s[lane % 8];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_quarters<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 4 * (i % 8) + 48;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
