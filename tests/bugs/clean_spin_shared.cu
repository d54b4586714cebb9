/* One warp hands its values to another by a flag in shared memory, without a barrier: values,
 * fence, atomic on one side; atomic, fence, values on the other. */
// expect: nothing
#include <stdio.h>

__global__ void pass_on(const int *in, int *out)
{
    __shared__ int box[32];
    __shared__ unsigned full[1];
    unsigned lane = threadIdx.x % 32;

    if (threadIdx.x == 0)
        *full = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        box[lane] = in[lane] + 1;
        __threadfence_block();
        atomicAdd(full, 1);
    } else {
        while (atomicAdd(full, 0) < 32)
            __nanosleep(20);
        __threadfence_block();
        out[lane] = box[31 - lane];
    }
}

int main()
{
    int host[32], result[32], wrong = 0, *in, *out;

    for (int i = 0; i < 32; i++)
        host[i] = 5 * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    pass_on<<<1, 64>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += result[i] != host[31 - i] + 1;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
