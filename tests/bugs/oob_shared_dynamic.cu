/* The launch asks for N bytes of dynamic shared memory where the kernel stores N ints: sizeof is
 * forgotten. Shared memory is handed out in larger pieces, so that small blocks get away with it.
 * Fix: N * sizeof(int). */
// expect: out of bounds in shared memory
#include <stdio.h>

#define N 512

__global__ void reverse(int *data)
{
    extern __shared__ int s[];
    unsigned tid = threadIdx.x;

    s[tid] = data[tid]; // BUG
    __syncthreads();
    data[tid] = s[N - 1 - tid]; // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *data;
#ifdef FIXED
    size_t shared = N * sizeof(int);
#else
    size_t shared = N;
#endif

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, N, shared>>>(data);
    cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != N - 1 - i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
