/* The lanes with an odd element share what their leader knows, and take lane 0 for the leader;
 * lane 0 has an even element and is elsewhere. Data with an odd first element hides it.
 * Fix: the first lane of the mask. */
// expect: warp operation with a wrong mask
#include <stdio.h>

#define N 32

__global__ void first_odd(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];
    unsigned odd = __ballot_sync(0xffffffff, v % 2 == 1);
#ifdef FIXED
    int leader = __ffs(odd) - 1;
#else
    int leader = 0;
#endif

    out[lane] = 0;
    if (v % 2 == 1)
        out[lane] = __shfl_sync(odd, v, leader); // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = 3 * i + 4;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    first_odd<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (host[i] % 2 == 1 ? 7 : 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
