/* Whoever finds the key writes its place; with the key in the array twice, two threads write two
 * values, and which one stays is luck. With one match nothing is wrong.
 * Fix: atomicMin, which has one answer. */
// expect: race in shared memory
#include <stdio.h>

#define N 256

__global__ void find(const int *in, int key, int *place)
{
    __shared__ int found;
    int tid = threadIdx.x;

    if (tid == 0)
        found = N;
    __syncthreads();
    if (in[tid] == key)
#ifdef FIXED
        atomicMin(&found, tid);
#else
        found = tid; // BUG
#endif
    __syncthreads();
    if (tid == 0)
        *place = found;
}

int main()
{
    int host[N], result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i % 150;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    find<<<1, N>>>(in, 42, out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("at %d, first at 42\n", result);
    return result != 42;
}
