/* Barriers in a loop that all threads leave together, since all see the same vote; and one in a
 * function that is called from two places. */
// expect: nothing
#include <stdio.h>

#define N 64

__device__ void exchange(int *s, unsigned tid, unsigned with)
{
    int left = s[tid], right = s[with];
    __syncthreads();
    s[tid] = tid < with ? min(left, right) : max(left, right);
    __syncthreads();
}

/* Neighbours are put in order, even and odd pairs in turn, until nothing changes. */
__global__ void sort(int *data)
{
    __shared__ int s[N];
    unsigned tid = threadIdx.x;
    int before;

    s[tid] = data[tid];
    __syncthreads();
    do {
        before = s[tid];
        exchange(s, tid, tid ^ 1);
        exchange(s, tid, tid == 0 || tid == N - 1 ? tid : ((tid + 1) ^ 1) - 1);
    } while (__syncthreads_or(s[tid] != before));
    data[tid] = s[tid];
}

int main()
{
    int host[N], wrong = 0, *data;

    for (int i = 0; i < N; i++)
        host[i] = i * 37 % N;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    sort<<<1, N>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += host[i] != i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
