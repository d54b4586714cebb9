/* count[c]++ by all threads is a load and a store: two threads with the same c lose a count. Data
 * that never puts one value into a block twice hides it.
 * Fix: atomicAdd. */
// expect: race in shared memory
#include <stdio.h>

#define N    256
#define BINS 16

__global__ void histogram(const unsigned char *in, int *bins)
{
    __shared__ int count[BINS];
    unsigned tid = threadIdx.x;

    if (tid < BINS)
        count[tid] = 0;
    __syncthreads();
#ifdef FIXED
    atomicAdd(&count[in[tid]], 1);
#else
    count[in[tid]]++; // BUG
#endif
    __syncthreads();
    if (tid < BINS)
        bins[tid] = count[tid];
}

int main()
{
    unsigned char host[N], *in;
    int expected[BINS] = {0}, result[BINS], wrong = 0, *out;

    for (int i = 0; i < N; i++)
        expected[host[i] = i * i % BINS]++;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    histogram<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BINS; i++)
        wrong += result[i] != expected[i];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
