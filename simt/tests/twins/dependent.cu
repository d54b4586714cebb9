/* Launches that may begin before the one before them has ended. */
#include "cases.h"

__global__ void fill(int *a, int value)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void read_all(const int *a, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void wait_first(const int *a, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    out[i] = a[i];
}
__global__ void one_waits(const int *a, int *out, bool of_block)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % (of_block ? 128 : 32) == 0)
        cudaGridDependencySynchronize();
    of_block ? __syncthreads() : __syncwarp();
    out[i] = a[i];
}
__global__ void first_warp_waits(const int *a, int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32)
        cudaGridDependencySynchronize();
    __syncwarp();
    out[i] = a[i];
}
__global__ void overwrite(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 7; }
__global__ void read_only(const int *a, int *out) { out[threadIdx.x] = a[0]; }

static cudaLaunchAttribute early;
static cudaLaunchConfig_t how;

int main(int, char **argv)
{
    int *a = (int *)device(4096), *b = (int *)device(4096), *out = (int *)device(4096), wrong = 0;

    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = 4;
    how.blockDim = dim3(128);
    how.attrs = &early;
    how.numAttrs = 1;
    fill<<<4, 128>>>(a, 5);
    CASE(waits, "nothing") wrong = cudaLaunchKernelEx(&how, wait_first, a, out);
    CASE(waits_not, "dependent launch does not wait") wrong = cudaLaunchKernelEx(&how, read_all, a, out);
    CASE(without_the_attribute, "nothing")
    {
        how.numAttrs = 0;
        wrong = cudaLaunchKernelEx(&how, read_all, a, out);
    }
    CASE(other_words, "nothing") wrong = cudaLaunchKernelEx(&how, read_all, b, out);
    CASE(one_for_the_block, "nothing") wrong = cudaLaunchKernelEx(&how, one_waits, a, out, true);
    CASE(one_for_the_warp, "nothing") wrong = cudaLaunchKernelEx(&how, one_waits, a, out, false);
    CASE(only_the_first_warp, "dependent launch does not wait")
        wrong = cudaLaunchKernelEx(&how, first_warp_waits, a, out);
    CASE(overwrites_what_is_read, "dependent launch does not wait")
    {
        read_only<<<1, 32>>>(b, out);
        wrong = cudaLaunchKernelEx(&how, overwrite, b);
    }
    CASE(both_read, "nothing")
    {
        read_only<<<1, 32>>>(b, out);
        wrong = cudaLaunchKernelEx(&how, read_all, b, a);
    }
    CASE(copy_between, "nothing")
    {
        wrong = cudaMemsetAsync(b, 0, 4, 0) != cudaSuccess;
        wrong |= cudaLaunchKernelEx(&how, read_all, a, out);
    }
    CASE(two_before, "nothing") /* the one before waits, and this one for it */
    {
        wrong = cudaLaunchKernelEx(&how, wait_first, a, out);
        wrong |= cudaLaunchKernelEx(&how, read_all, a, b);
    }
    CASE(too_many_threads, "error nobody looked at")
    {
        how.blockDim = 2048;
        cudaLaunchKernelEx(&how, read_all, a, out);
    }
    return finish(wrong);
}
