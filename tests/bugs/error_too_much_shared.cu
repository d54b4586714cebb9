/* 64 KiB of dynamic shared memory are more than a kernel gets without asking: the launch fails,
 * and nobody looks.
 * Fix: cudaFuncSetAttribute raises the kernel's limit. */
// expect: error nobody looked at
#include <stdio.h>

#define BLOCK 256
#define WORDS (16 * 1024)

__global__ void reverse(int *data)
{
    extern __shared__ int s[];

    for (unsigned i = threadIdx.x; i < WORDS; i += BLOCK)
        s[i] = data[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < WORDS; i += BLOCK)
        data[i] = s[WORDS - 1 - i];
}

int main()
{
    static int host[WORDS];
    size_t size = sizeof host;
    int *data;

    for (int i = 0; i < WORDS; i++)
        host[i] = i;
    cudaMalloc(&data, size);
    cudaMemcpy(data, host, size, cudaMemcpyHostToDevice);
#ifdef FIXED
    cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)size);
#endif
    reverse<<<1, BLOCK, size>>>(data); // BUG
    cudaMemcpy(host, data, size, cudaMemcpyDeviceToHost);
    printf("the first is %d\n", host[0]);
    return 0;
}
