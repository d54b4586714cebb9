/* Exercise 17: a transpose with bank conflicts.
 *
 * out becomes the transpose of in: out[c * rows + r] = in[r * cols + c]. A
 * block takes a tile of 32 x 32 elements by way of shared memory, so that
 * warps load rows of in and store rows of out: both are coalesced.
 *
 * The result is right. But a warp stores a row of the tile and loads a column
 * of it: the column's words lie 32 apart, all in the same bank, and come one
 * after the other.
 *
 * Task: lay out the tile so that neither rows nor columns have conflicts. The
 * loads of in and the stores of out stay coalesced, by all warps. (The CPU
 * backend lacks cuda_pipeline.h: load, then store into shared memory.)
 *
 * Before you begin, write down what your program will have, for ints:
 * PREDICT: wavefronts/request of the loads from shared memory = ?
 *
 * Arrays: in, rows x cols elements; out, cols x rows elements. */
#include "task.h"

#define TILE 32 /* rows and columns of a tile; threads in a row of a block */
#define ROWS 8  /* rows of a block: a thread moves TILE / ROWS elements */

__global__ void turn(const elem_t *in, elem_t *out, size_t rows, size_t cols)
{
    __shared__ elem_t s[TILE][TILE + 1]; /* a column is in all banks */
    unsigned x = threadIdx.x, y = threadIdx.y;
    size_t r0 = (size_t)blockIdx.y * TILE, c0 = (size_t)blockIdx.x * TILE;

    for (unsigned k = y; k < TILE; k += ROWS)
        if (r0 + k < rows && c0 + x < cols)
            s[k][x] = in[(r0 + k) * cols + c0 + x];
    __syncthreads();

    for (unsigned k = y; k < TILE; k += ROWS)
        if (c0 + k < cols && r0 + x < rows)
            out[(c0 + k) * rows + r0 + x] = s[x][k];
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
