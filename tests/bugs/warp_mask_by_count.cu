/* The mask is made from the number of lanes in the branch, as if they were the lowest ones. It is
 * right for the first n lanes, wrong for every other lane.
 * Fix: the ballot itself is the mask. */
// expect: warp operation with a wrong mask
#include <stdio.h>

#define N 32

__global__ void sum_odd(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int v = in[lane];
    unsigned odd = __ballot_sync(0xffffffff, v % 2 == 1);
#ifdef FIXED
    unsigned mask = odd;
#else
    unsigned mask = (1u << __popc(odd)) - 1;
#endif

    out[lane] = 0;
    if (v % 2 == 1)
        out[lane] = __reduce_add_sync(mask, v); // BUG
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum_odd<<<1, N>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != (i % 2 == 1 ? 256 : 0);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
