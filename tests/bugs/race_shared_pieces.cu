/* Two arrays cut out of one dynamic shared array overlap by one element: the last of the first is
 * the first of the second. Nothing is out of bounds; one of the two values is lost.
 * Fix: the second begins at s + N. */
// expect: race in shared memory
#include <stdio.h>

#define N 128

__global__ void add_reversed(const int *in, int *out)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;
    int *once = s;
#ifdef FIXED
    int *twice = s + N;
#else
    int *twice = s + N - 1;
#endif
    once[tid] = in[tid];      // BUG
    twice[tid] = 2 * in[tid]; // BUG
    __syncthreads();
    out[tid] = once[N - 1 - tid] + twice[N - 1 - tid];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i + 1;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add_reversed<<<1, N, 2 * N * sizeof(int)>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 3 * host[N - 1 - i];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
