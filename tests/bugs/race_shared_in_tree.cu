/* The barrier stands after the tree instead of in it: a round reads sums that another warp has
 * not finished in the round before. In a block of one warp it mostly goes well.
 * Fix: the barrier belongs into the loop. */
// expect: race in shared memory
#include <stdio.h>

#define N 256

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
    for (unsigned d = N / 2; d > 0; d /= 2) {
        if (tid < d)
            s[tid] += s[tid + d]; // BUG
#ifdef FIXED
        __syncthreads();
#endif
    }
    __syncthreads();
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
