/* The result is copied with the direction of the line it was pasted from: the call fails and
 * copies nothing. Its error is lost, and what is printed is the host's old value.
 * Fix: cudaMemcpyDeviceToHost. */
// expect: error nobody looked at
#include <stdio.h>

#define N 64
#ifdef FIXED
#define BACK cudaMemcpyDeviceToHost
#else
#define BACK cudaMemcpyHostToDevice
#endif

__global__ void increment(int *data)
{
    data[threadIdx.x]++;
}

int main()
{
    int host[N], *data;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    increment<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, BACK); // BUG
    printf("the last is %d\n", host[N - 1]);
    return 0;
}
