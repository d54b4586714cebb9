/* Calls and launches that fail, and nobody looks at their error: the program ends as if all were
 * well. */
#include "../twins/cases.h"

enum { BLOCK = 256, WORDS = 16 * 1024 };

__global__ void reverse(const int *in, int *out)
{
    extern __shared__ int s[];

    for (unsigned i = threadIdx.x; i < WORDS; i += BLOCK)
        s[i] = in[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < WORDS; i += BLOCK)
        out[i] = s[WORDS - 1 - i];
}

__global__ void twice(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}

/* Of a launch that failed there is no result. */
static int if_fixed(const int *out)
{
    return FIXED ? differ(out, 100, [](int i) { return 2 * i; }) : 0;
}

int main(int, char **argv)
{
    int *in = numbers(WORDS), *out = (int *)device(WORDS * sizeof *out), host[100] = {};

    /* With the direction of the line from which the call was pasted, it fails and copies nothing.
     */
    CASE(copy_direction, "error nobody looked at")
    {
        auto back = FIXED ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
        cudaMemcpy(host, in, sizeof host, back); // BUG: copy_direction
        return FIXED && host[99] != 99;
    }
    /* n / BLOCK blocks are none for n < BLOCK, and an empty grid is no launch but an error. For
     * larger n the same line leaves out the tail. */
    CASE(no_blocks, "error nobody looked at")
    {
        int n = 100, blocks = (n + (FIXED ? BLOCK - 1 : 0)) / BLOCK;
        twice<<<blocks, BLOCK>>>(in, out, n); // BUG: no_blocks
        return if_fixed(out);
    }
    /* 64 KiB of dynamic shared memory are more than a kernel gets without asking. */
    CASE(too_much_shared, "error nobody looked at")
    {
        size_t size = WORDS * sizeof(int);
        if (FIXED)
            cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)size);
        reverse<<<1, BLOCK, size>>>(in, out); // BUG: too_much_shared
        return FIXED ? differ(out, WORDS, [](int i) { return WORDS - 1 - i; }) : 0;
    }
    return 2;
}
