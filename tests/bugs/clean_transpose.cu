/* A grid of 2D blocks transposes through shared memory with a padded tile, at a width and height
 * that are no multiples of the tile. */
// expect: nothing
#include <stdio.h>

#define TILE   16
#define WIDTH  50
#define HEIGHT 37

__global__ void transpose(const float *in, float *out)
{
    __shared__ float s[TILE][TILE + 1];
    unsigned column = blockIdx.x * TILE, row = blockIdx.y * TILE;
    unsigned x = threadIdx.x, y = threadIdx.y;

    if (column + x < WIDTH && row + y < HEIGHT)
        s[y][x] = in[(row + y) * WIDTH + column + x];
    __syncthreads();
    if (row + x < HEIGHT && column + y < WIDTH)
        out[(column + y) * HEIGHT + row + x] = s[x][y];
}

int main()
{
    static float host[HEIGHT][WIDTH], result[WIDTH][HEIGHT];
    float *in, *out;
    int wrong = 0;

    for (int i = 0; i < HEIGHT * WIDTH; i++)
        host[i / WIDTH][i % WIDTH] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    transpose<<<dim3(4, 3), dim3(TILE, TILE)>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        wrong += result[i % WIDTH][i / WIDTH] != i;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
