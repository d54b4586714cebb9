/* 16 bytes a thread, and n is no multiple of four: the last access begins within the array and
 * ends two ints behind it.
 * Fix: whole int4 only, the rest one by one. */
// expect: out of bounds in global memory
#include <stdio.h>

#define N 1002

__global__ void sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;

#ifdef FIXED
    if (4 * i + 3 < n) {
#else
    if (4 * i < n) {
#endif
        int4 four = ((const int4 *)in)[i]; // BUG
        v = four.x + four.y + four.z + four.w;
#ifdef FIXED
    } else {
        for (int k = 4 * i; k < n; k++)
            v += in[k];
#endif
    }
    atomicAdd(out, v);
}

int main()
{
    int host[N], expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<2, 128>>>(in, out, N);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
