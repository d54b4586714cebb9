/* Right: each warp adds up 32 rows one after the other, by shuffles. */
#include "task.h"

#define BLOCK 1024

__global__ void add_rows(const elem_t *in, elem_t *sums, size_t rows)
{
    unsigned lane = threadIdx.x % 32;

    for (size_t row = (blockIdx.x * (size_t)BLOCK + threadIdx.x) / 32; row < rows;
         row += gridDim.x * (BLOCK / 32)) {
        elem_t x = in[row * 32 + lane];
        for (unsigned delta = 16; delta > 0; delta /= 2)
            x += __shfl_xor_sync(0xffffffff, x, delta);
        if (lane == 0)
            sums[row] = x;
    }
}
