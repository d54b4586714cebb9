/* Nothing runs; the last error says why, is kept until it is fetched, and is told once. */
__global__ void touch(int *p) { atomicExch(p, 1); }

static void refused(int *touched, dim3 grid, dim3 block, size_t shared, cudaError_t why)
{
    touch<<<grid, block, shared>>>(touched);
    EXPECT(cudaPeekAtLastError() == why);
    OK(cudaSetDevice(0)); /* a success does not clear it */
    EXPECT(cudaGetLastError() == why);
    OK(cudaGetLastError());
    EXPECT(*host(touched, 1) == 0);
}

int main()
{
    int *touched = device<int>(1);
    refused(touched, 1, 1025, 0, cudaErrorInvalidConfiguration);
    refused(touched, {1, 1, 0}, 32, 0, cudaErrorInvalidConfiguration);
    refused(touched, 1, {1u << 16, 1u << 16}, 0, cudaErrorInvalidConfiguration); /* 2^32 */
    refused(touched, 1, 32, 48 * 1024 + 1, cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(touch, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    refused(touched, 1, 32, 64 * 1024 + 1, cudaErrorInvalidValue);
    touch<<<1, 2000>>>(touched);
    EXPECT(cudaFree((void *)1) == cudaErrorInvalidValue); /* the later error is the last */
    touch<<<1, {1, 1, 64}, 64 * 1024>>>(touched);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue && *host(touched, 1) == 1);
}
