/* Right: a row is a column of the tile, so that the first threads have the first columns. */
#include "task.h"

#define BLOCK 256            /* threads per block */
#define COLS  32             /* elements of a row */
#define ROWS  (BLOCK / COLS) /* rows per block */

__global__ void find_most(const elem_t *in, elem_t *most, size_t rows)
{
    __shared__ elem_t s[COLS][ROWS];
    unsigned tid = threadIdx.x, row = tid / COLS, col = tid % COLS;
    size_t first = (size_t)blockIdx.x * ROWS;

    s[col][row] = first + row < rows ? in[first * COLS + tid] : 0;
    __syncthreads();

    for (unsigned stride = COLS / 2; stride > 0; stride /= 2) {
        if (tid < ROWS * stride) {
            unsigned c = tid / ROWS, r = tid % ROWS;
            s[c][r] = max(s[c][r], s[c + stride][r]);
        }
        __syncthreads();
    }

    if (tid < ROWS && first + tid < rows)
        most[first + tid] = s[0][tid];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *most = task_out(task, "most");
    size_t rows = task_size(task, "rows");

    find_most<<<(rows + ROWS - 1) / ROWS, BLOCK>>>(in, most, rows);
    CHECK(cudaGetLastError());
}
