/* Cooperative launches: all blocks run at the same time, so they may wait for each other. */
#include "cases.h"

enum { THREADS = 64, BLOCKS = 24 };

__device__ unsigned arrived;
__device__ int sums[BLOCKS];

/* A barrier of the whole grid, as one writes it: fence, count, wait, fence. */
static __device__ void grid_barrier()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < gridDim.x)
            ;
        __threadfence();
    }
    __syncthreads();
}

/* Each block has a number; after the barrier all add up all of them. */
__global__ void all_sums(int *out, int wait)
{
    int i = threadIdx.x;
    if (i == 0)
        sums[blockIdx.x] = (int)blockIdx.x + 1;
    if (wait)
        grid_barrier();
    if (i == 1) {
        int sum = 0;
        for (unsigned k = 0; k < gridDim.x; k++)
            sum += sums[k];
        out[blockIdx.x] = sum;
    }
}

template <class T> __global__ void parameters(int *out, double factor, const T *in, short n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = (int)(factor * (double)in[i]);
}

static int wrong_sums(const int *out, int blocks)
{
    int host[BLOCKS], wrong = 0;
    cudaMemcpy(host, out, blocks * sizeof *host, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; b++)
        wrong += host[b] != blocks * (blocks + 1) / 2;
    return wrong;
}

int main(int, char **argv)
{
    int *out = (int *)device(1000 * sizeof *out), wait = 1, wrong = 0;
    short n = 1000;
    float *in = (float *)device(n * sizeof *in);
    double two = 2;
    void *arguments[] = {&out, &wait}, *of[] = {&out, &two, &in, &n};

    CASE(waits, "nothing")
    {
        wrong = cudaLaunchCooperativeKernel(all_sums, BLOCKS, THREADS, arguments) != cudaSuccess;
        wrong += wrong_sums(out, BLOCKS);
    }
    CASE(cast, "nothing")
    {
        wrong = cudaLaunchCooperativeKernel((void *)all_sums, BLOCKS, THREADS, arguments) !=
                cudaSuccess;
        wrong += wrong_sums(out, BLOCKS);
    }
    CASE(not_cooperative, "nothing")
    {
        wrong =
            cudaLaunchKernel((const void *)parameters<float>, 3, THREADS, of, 0, 0) != cudaSuccess;
        wrong += cudaLaunchKernel(parameters<float>, 3, 2048, of) != cudaErrorInvalidConfiguration;
        wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
    }
    CASE(too_many_looked_at, "nothing")
    {
        cudaError_t error = cudaLaunchCooperativeKernel(all_sums, 1 << 20, THREADS, arguments);
        wrong = error != cudaErrorCooperativeLaunchTooLarge || cudaGetLastError() != error;
    }
    CASE(too_many, "error nobody looked at")
        cudaLaunchCooperativeKernel(all_sums, 1 << 20, THREADS, arguments);
    CASE(no_wait, "race in global memory")
    {
        wait = 0;
        cudaLaunchCooperativeKernel(all_sums, BLOCKS, THREADS, arguments);
    }
    return finish(wrong);
}
