/* Each thread reads its right neighbour's element; the last thread has none and reads behind the
 * array. What lies there is often 0, which happens to be right.
 * Fix: the last thread takes 0. */
// expect: out of bounds in shared memory
#include <stdio.h>

#define N 256

__global__ void add_right(const int *in, int *out)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;

    s[tid] = in[tid];
    __syncthreads();
#ifdef FIXED
    out[tid] = s[tid] + (tid + 1 < N ? s[tid + 1] : 0);
#else
    out[tid] = s[tid] + s[tid + 1]; // BUG
#endif
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add_right<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != host[i] + (i + 1 < N ? host[i + 1] : 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
