/* A transpose through shared memory without a barrier between the rows written and the columns
 * read. A block of 16 x 16 is eight warps of two rows each, so most come from another warp.
 * Fix: __syncthreads() between write and read. */
// expect: race in shared memory
#include <stdio.h>

#define TILE 16
#define SIDE 64

__global__ void transpose(const int *in, int *out)
{
    __shared__ int s[TILE][TILE + 1];
    unsigned column = blockIdx.x * TILE, row = blockIdx.y * TILE;
    unsigned x = threadIdx.x, y = threadIdx.y;

    s[y][x] = in[(row + y) * SIDE + column + x]; // BUG
#ifdef FIXED
    __syncthreads();
#endif
    out[(column + y) * SIDE + row + x] = s[x][y]; // BUG
}

int main()
{
    static int host[SIDE][SIDE], result[SIDE][SIDE];
    int wrong = 0, *in, *out;

    for (int i = 0; i < SIDE * SIDE; i++)
        host[i / SIDE][i % SIDE] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    transpose<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < SIDE * SIDE; i++)
        wrong += result[i % SIDE][i / SIDE] != i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
