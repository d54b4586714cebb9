/* A structure is passed by value, and so is the pointer in it, which still points to the host's
 * elements: copying the structure copies nothing behind it.
 * Fix: put the device's pointer into the structure. */
// expect: host pointer in a kernel
#include <stdio.h>

#define N 64

struct vector {
    int n;
    const int *data;
};

__global__ void copy(struct vector v, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < v.n)
        out[i] = v.data[i]; // BUG
}

int main()
{
    static int host[N];
    int result[N], wrong = 0, *data, *out;
    struct vector v = {N, host};

    for (int i = 0; i < N; i++)
        host[i] = 7 * i;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
#ifdef FIXED
    v.data = data;
#endif
    copy<<<2, 32>>>(v, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != 7 * i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
