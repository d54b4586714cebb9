/* Blocks of 16 x 16 store a tile and one row below it, for which the array has no room. It goes
 * well as long as nothing else lies in shared memory.
 * Fix: TILE + 1 rows. */
// expect: out of bounds in shared memory
#include <stdio.h>

#define TILE 16

__global__ void add_below(const int *in, int *out)
{
#ifdef FIXED
    __shared__ int s[TILE + 1][TILE];
#else
    __shared__ int s[TILE][TILE];
#endif
    unsigned x = threadIdx.x, y = threadIdx.y, first = blockIdx.x * TILE * TILE;

    s[y][x] = in[first + y * TILE + x];
    if (y == 0)
        (&s[0][0])[TILE * TILE + x] = in[first + TILE * TILE + x]; // BUG
    __syncthreads();
    out[first + y * TILE + x] = s[y][x] + (&s[0][0])[(y + 1) * TILE + x]; // BUG
}

int main()
{
    static int host[5 * TILE * TILE], result[4 * TILE * TILE];
    int wrong = 0, *in, *out;

    for (int i = 0; i < 5 * TILE * TILE; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof result);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    add_below<<<4, dim3(TILE, TILE)>>>(in, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4 * TILE * TILE; i++)
        wrong += result[i] != 2 * i + TILE;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
