/* A recursive sum that splits off one element at a time: 32768 calls deep, where a thread's stack
 * has room for some dozens on a GPU. For short arrays all is well.
 * Fix: split in the middle, 15 calls deep. */
// expect: stack overflow
#include <stdio.h>

#define N 32768

__device__ __noinline__ int sum_of(const int *in, int begin, int end) // BUG
{                                                                     // BUG
    if (end - begin == 1)                                             // BUG
        return in[begin];                                             // BUG
#ifdef FIXED
    int middle = (begin + end) / 2;
#else
    int middle = end - 1; // BUG
#endif
    return sum_of(in, begin, middle) + sum_of(in, middle, end); // BUG
} // BUG

__global__ void sum(const int *in, int *out)
{
    out[threadIdx.x] = sum_of(in, 0, N);
}

int main()
{
    static int host[N];
    int expected = 0, result = 0, *in, *out;

    for (int i = 0; i < N; i++)
        expected += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 2 * sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 2>>>(in, out);
    cudaMemcpy(&result, out + 1, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
