/* Right: 16 lanes for each row, in blocks of 1024 threads that go through the rows. */
#include "task.h"

#define BLOCK 1024
#define ROWS  128

__global__ void add(const elem_t *in, elem_t *sums, size_t rows, size_t cols)
{
    unsigned lane = threadIdx.x % 16;

    for (size_t first = blockIdx.x * 64; first < rows; first += gridDim.x * 64) {
        size_t row = first + threadIdx.x / 16;
        elem_t x = 0;
        for (size_t c = lane; row < rows && c < cols; c += 16)
            x += in[row * cols + c];
        for (unsigned delta = 8; delta > 0; delta /= 2)
            x += __shfl_down_sync(0xffffffff, x, delta, 16);
        if (lane == 0 && row < rows)
            sums[row] = x;
    }
}
