/* The last warp goes on without __syncthreads(), and without anything in its place: a lane may
 * add before its neighbour has written the round before. Lanes mostly run in step, so it mostly
 * works.
 * Fix: __syncwarp() after each round. */
// expect: race in shared memory
#include <stdio.h>

#define N 256

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    for (unsigned d = N / 2; d > 32; d /= 2) {
        if (tid < d)
            s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid < 32)
        for (unsigned d = 32; d > 0; d /= 2) {
            if (tid < d)
                s[tid] += s[tid + d]; // BUG
#ifdef FIXED
            __syncwarp();
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
