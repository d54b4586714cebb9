/* The second launch may begin before the first one has ended, and reads what that one writes
 * without waiting for its end. Fix: cudaGridDependencySynchronize() before the first read. */
// expect: dependent launch does not wait
#include <stdio.h>

#define N 256

__global__ void fill(int *a)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[threadIdx.x] = 3 * threadIdx.x;
}

__global__ void add(const int *a, int *sums)
{
    int own = 5 * threadIdx.x; /* has nothing to do with the launch before */

#ifdef FIXED
    cudaGridDependencySynchronize();
#endif
    sums[threadIdx.x] = own + a[threadIdx.x]; // BUG
}

int main()
{
    int *a, *sums, host[N];
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = 1;
    how.blockDim = N;
    how.attrs = &early;
    how.numAttrs = 1;
    if (cudaMalloc(&a, N * sizeof *a) != cudaSuccess ||
        cudaMalloc(&sums, N * sizeof *sums) != cudaSuccess)
        return 3;
    fill<<<1, N>>>(a);
    if (cudaLaunchKernelEx(&how, add, a, sums) != cudaSuccess ||
        cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 3;
    for (int i = 0; i < N; i++)
        if (host[i] != 8 * i)
            return 1;
    return 0;
}
