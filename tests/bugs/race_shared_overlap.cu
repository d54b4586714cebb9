/* A __syncwarp() ends each round, but within a round lane 0 reads s[16] while lane 16 writes it:
 * all 32 lanes add. Lane 0's sum needs the old value; a warp in step reads before it writes.
 * Fix: read, __syncwarp(), write. */
// expect: race in shared memory
#include <stdio.h>

#define N 64

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    if (tid < 32)
        for (unsigned d = 32; d > 0; d /= 2) {
#ifdef FIXED
            int both = s[tid] + s[tid + d];
            __syncwarp();
            s[tid] = both;
#else
            s[tid] += s[tid + d]; // BUG
#endif
            __syncwarp();
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
