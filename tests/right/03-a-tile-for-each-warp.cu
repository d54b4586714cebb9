/* Right: each warp has a tile of its own, in blocks of 64 threads, and needs no block barrier. */
#include "task.h"

#define BLOCK 64

__global__ void add_rows(const elem_t *in, elem_t *sums, size_t rows)
{
    __shared__ elem_t s[2][32][33];
    unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32;
    size_t first = ((size_t)blockIdx.x * 2 + w) * 32;
    elem_t sum = 0;

    for (unsigned r = 0; r < 32 && first + r < rows; r++)
        s[w][r][lane] = in[(first + r) * 32 + lane];
    __syncwarp();
    if (first + lane < rows) {
        for (unsigned k = 0; k < 32; k++)
            sum += s[w][lane][k];
        sums[first + lane] = sum;
    }
}
