/* Warp-synchronous code of before Volta: volatile, no barrier, all 32 lanes write. Since Volta
 * lanes need not run in step, and volatile orders nothing; it goes well only as long as they
 * happen to.
 * Fix: halve the lanes that add and end each round with __syncwarp(). */
// expect: race in shared memory
#include <stdio.h>

#define N 64

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    if (tid < 32) {
#ifdef FIXED
        for (unsigned d = 32; d > 0; d /= 2) {
            if (tid < d)
                s[tid] += s[tid + d];
            __syncwarp();
        }
#else
        volatile int *v = s;
        v[tid] += v[tid + 32]; // BUG
        v[tid] += v[tid + 16]; // BUG
        v[tid] += v[tid + 8];  // BUG
        v[tid] += v[tid + 4];  // BUG
        v[tid] += v[tid + 2];  // BUG
        v[tid] += v[tid + 1];  // BUG
#endif
    }
    if (tid == 0)
        *out = s[0];
}

int main()
{
    int host[N], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, N>>>(in, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
