/* Right: columns are permuted by exclusive or, in blocks of 32 x 32 threads. */
#include "task.h"

#define TILE 32 /* rows and columns of a tile; threads in a row of a block */
#define ROWS 32 /* rows of a block: a thread moves TILE / ROWS elements */

__global__ void turn(const elem_t *in, elem_t *out, size_t rows, size_t cols)
{
    __shared__ elem_t s[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    size_t r0 = (size_t)blockIdx.y * TILE, c0 = (size_t)blockIdx.x * TILE;

    for (unsigned k = y; k < TILE; k += ROWS)
        if (r0 + k < rows && c0 + x < cols)
            s[k][x ^ k] = in[(r0 + k) * cols + c0 + x];
    __syncthreads();

    for (unsigned k = y; k < TILE; k += ROWS)
        if (c0 + k < cols && r0 + x < rows)
            out[(c0 + k) * rows + r0 + x] = s[x][k ^ x];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *out = task_out(task, "out");
    size_t rows = task_size(task, "rows"), cols = task_size(task, "cols");
    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    dim3 block(TILE, ROWS);

    turn<<<grid, block>>>(in, out, rows, cols);
    CHECK(cudaGetLastError());
}
