/* A prefix sum in place: the round's barrier separates it from the next, but within it s[tid - d]
 * is read by one thread and written by another. Within a warp that runs in step it goes well.
 * Fix: everybody reads, then a barrier, then everybody writes. */
// expect: race in shared memory
#include <stdio.h>

#define N 256

__global__ void scan(float *data)
{
    __shared__ float s[N];
    unsigned tid = threadIdx.x;

    s[tid] = data[tid];
    __syncthreads();
    for (unsigned d = 1; d < N; d *= 2) {
#ifdef FIXED
        float left = tid >= d ? s[tid - d] : 0;
        __syncthreads();
        s[tid] += left;
#else
        if (tid >= d)
            s[tid] += s[tid - d]; // BUG
#endif
        __syncthreads();
    }
    data[tid] = s[tid];
}

int main()
{
    float host[N], result[N], sum = 0, *data;
    int wrong = 0;

    for (int i = 0; i < N; i++)
        host[i] = i % 5 - 1.5f;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    scan<<<1, N>>>(data);
    cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (sum += host[i]);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
