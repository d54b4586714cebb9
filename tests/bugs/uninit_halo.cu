/* A tile of 8 x 8 with a border: threads of the block's edge load left and right, but nobody
 * above and below for a block at the picture's edge, where 0 was meant.
 * Fix: the edge stores that 0. */
// expect: uninitialised shared memory
#include <stdio.h>

#define TILE 8
#define SIDE 16

__global__ void add_column(const int *in, int *out)
{
    __shared__ int s[TILE + 2][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;

    s[y + 1][x] = in[row * SIDE + column];
    if (y == 0 && row > 0)
        s[0][x] = in[(row - 1) * SIDE + column];
    if (y == TILE - 1 && row < SIDE - 1)
        s[TILE + 1][x] = in[(row + 1) * SIDE + column];
#ifdef FIXED
    if (row == 0 || row == SIDE - 1)
        s[row == 0 ? 0 : TILE + 1][x] = 0;
#endif
    __syncthreads();
    out[row * SIDE + column] = s[y][x] + s[y + 1][x] + s[y + 2][x]; // BUG
}

int main()
{
    int host[SIDE + 2][SIDE] = {{0}}, result[SIDE][SIDE], wrong = 0, *in, *out;

    for (int i = 0; i < SIDE * SIDE; i++)
        host[1 + i / SIDE][i % SIDE] = i;
    cudaMalloc(&in, sizeof result);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host[1], sizeof result, cudaMemcpyHostToDevice);
    add_column<<<dim3(2, 2), dim3(TILE, TILE)>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            wrong += result[y][x] != host[y][x] + host[y + 1][x] + host[y + 2][x];
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
