/* Right: a block has two tiles beside each other. */
#include "task.h"

#define TILE 32 /* rows and columns of a tile; threads in a row of a block */
#define ROWS 8  /* rows of a block: a thread moves TILE / ROWS elements */

__global__ void turn(const elem_t *in, elem_t *out, size_t rows, size_t cols)
{
    __shared__ elem_t s[2][TILE][TILE + 1];
    unsigned x = threadIdx.x, y = threadIdx.y % ROWS, z = threadIdx.y / ROWS;
    size_t r0 = (size_t)blockIdx.y * TILE, c0 = ((size_t)blockIdx.x * 2 + z) * TILE;

    for (unsigned k = y; k < TILE; k += ROWS)
        if (r0 + k < rows && c0 + x < cols)
            s[z][k][x] = in[(r0 + k) * cols + c0 + x];
    __syncthreads();

    for (unsigned k = y; k < TILE; k += ROWS)
        if (c0 + k < cols && r0 + x < rows)
            out[(c0 + k) * rows + r0 + x] = s[z][x][k];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *out = task_out(task, "out");
    size_t rows = task_size(task, "rows"), cols = task_size(task, "cols");
    dim3 grid((cols + 2 * TILE - 1) / (2 * TILE), (rows + TILE - 1) / TILE);
    dim3 block(TILE, 2 * ROWS);

    turn<<<grid, block>>>(in, out, rows, cols);
    CHECK(cudaGetLastError());
}
