/* The counting is atomic, the reading is not, and nothing keeps it from coming before the last
 * count. One tends to believe that "it is atomic" covers both.
 * Fix: __syncthreads() between counting and reading. */
// expect: race in shared memory
#include <stdio.h>

#define N 256

__global__ void share(const int *in, int *out)
{
    __shared__ int odd;
    unsigned tid = threadIdx.x;

    if (tid == 0)
        odd = 0;
    __syncthreads();
    if (in[tid] % 2 == 1)
        atomicAdd(&odd, 1); // BUG
#ifdef FIXED
    __syncthreads();
#endif
    out[tid] = odd; // BUG
}

int main()
{
    int host[N], result[N], expected = 0, wrong = 0, *in, *out;

    for (int i = 0; i < N; i++) {
        host[i] = i % 5;
        expected += host[i] % 2;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    share<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != expected;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
