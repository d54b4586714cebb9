/* One dynamic shared array, written as int4, read as double's halves, written as double, read as
 * ints: with a barrier at each change. */
// expect: nothing
#include <stdio.h>

#define N 64

__global__ void halves(const int4 *in, int *out)
{
    extern __shared__ int4 s[];
    unsigned tid = threadIdx.x;
    int *words = (int *)s;
    double *numbers = (double *)s;

    s[tid] = in[tid];
    __syncthreads();
    int v = words[4 * (N - 1 - tid)] + words[4 * (N - 1 - tid) + 3];
    __syncthreads();
    numbers[tid] = v;
    __syncthreads();
    out[tid] = (int)numbers[tid ^ 1] + (words[2 * tid + 1] < 0);
}

int main()
{
    int host[4 * N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < 4 * N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    halves<<<1, N, N * sizeof(int4)>>>((const int4 *)in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 8 * (N - 1 - (i ^ 1)) + 3;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
