/* The kernel gets the host's array instead of its copy on the device: one letter in the launch.
 * On machines where the GPU can read the host's memory it even works, and is slow.
 * Fix: pass the copy. */
// expect: host pointer in a kernel
#include <stdio.h>

#define N 128

__global__ void sum(const int *in, int *out)
{
    atomicAdd(out, in[threadIdx.x]); // BUG
}

int main()
{
    int h_in[N], expected = 0, result = 0, *d_in, *d_out;

    for (int i = 0; i < N; i++)
        expected += h_in[i] = i % 7;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof(int));
    cudaMemset(d_out, 0, sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
#ifdef FIXED
    sum<<<1, N>>>(d_in, d_out);
#else
    sum<<<1, N>>>(h_in, d_out);
#endif
    cudaMemcpy(&result, d_out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d, expected %d\n", result, expected);
    return result != expected;
}
