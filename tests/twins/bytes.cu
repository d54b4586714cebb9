/* Bytes that blocks read and write one by one, four of a word. */
#include "cases.h"

enum { SIDE = 128, TILE = 32, EDGE = 2, WIDE = TILE + 2 * EDGE };

/* The mean of 5 x 5 bytes, of a tile in shared memory. */
__global__ void blur(const unsigned char *in, unsigned char *out, bool meet)
{
    __shared__ unsigned char tile[WIDE][WIDE];
    int left = blockIdx.x * TILE - EDGE, top = blockIdx.y * TILE - EDGE, sum = 0;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < WIDE * WIDE; i += TILE * TILE) {
        int x = left + i % WIDE, y = top + i / WIDE;
        bool inside = x >= 0 && y >= 0 && x < SIDE && y < SIDE;
        tile[i / WIDE][i % WIDE] = inside ? in[y * SIDE + x] : 0;
    }
    if (meet)
        __syncthreads();
    for (int dy = 0; dy <= 2 * EDGE; dy++)
        for (int dx = 0; dx <= 2 * EDGE; dx++)
            sum += tile[threadIdx.y + dy][threadIdx.x + dx];
    out[(top + EDGE + threadIdx.y) * SIDE + left + EDGE + threadIdx.x] = sum / 25;
}

/* Each thread counts in bytes of its own, 8 KB of a block, which others add up. */
__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    __shared__ unsigned char own[64][128];
    unsigned sum = 0;
    for (int bin = 0; bin < 64; bin++)
        own[bin][threadIdx.x] = 0;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        own[in[i] / 4][threadIdx.x]++;
    __syncthreads();
    for (int t = 0; t < 128 && threadIdx.x < 64; t++)
        sum += own[threadIdx.x][t];
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], sum);
}

int main(int, char **argv)
{
    unsigned char *in = (unsigned char *)device(SIDE * SIDE),
                  *out = raw<unsigned char>(SIDE * SIDE);
    unsigned *bins = (unsigned *)device(64 * sizeof *bins);
    dim3 tiles(SIDE / TILE, SIDE / TILE), square(TILE, TILE);

    CASE(blur_meets, "nothing") blur<<<tiles, square>>>(in, out, true);
    CASE(blur, "race in shared memory") blur<<<tiles, square>>>(in, out, false);
    CASE(histogram, "nothing") histogram<<<8, 128>>>(in, bins, SIDE * SIDE);
    return finish(0);
}
