/* A tile is filled again while slow threads still read the one before: a barrier stands after the
 * write, but none after the read. With a single tile nothing is wrong.
 * Fix: a second __syncthreads() at the loop's end. */
// expect: race in shared memory
#include <stdio.h>

#define TILE 128
#define N    (4 * TILE)

__global__ void reverse_tiles(const int *in, int *out)
{
    __shared__ int s[TILE];
    unsigned tid = threadIdx.x;

    for (unsigned first = 0; first < N; first += TILE) {
        s[tid] = in[first + tid]; // BUG
        __syncthreads();
        out[first + tid] = s[TILE - 1 - tid]; // BUG
#ifdef FIXED
        __syncthreads();
#endif
    }
}

int main()
{
    int host[N], result[N], wrong = 0, *in, *out;

    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse_tiles<<<1, TILE>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += result[i] != i / TILE * TILE + TILE - 1 - i % TILE;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
