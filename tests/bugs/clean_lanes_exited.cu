/* Lanes that have ended need not come to a warp operation whose mask names them: __syncwarp()
 * waits for the others. */
// expect: nothing
#include <stdio.h>

#define N 20

__global__ void reverse(const int *in, int *out, unsigned n)
{
    __shared__ int s[32];
    unsigned lane = threadIdx.x;

    if (lane >= n)
        return;
    s[lane] = in[lane];
    __syncwarp();
    out[lane] = s[n - 1 - lane];
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse<<<1, 32>>>(in, out, N);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != N - 1 - i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
