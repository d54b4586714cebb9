/* Exercise 10: row sums of a matrix.
 *
 * The matrix lies in memory row by row: in[row * cols + col]. Each thread
 * adds up one row, and stores its sum in sums[row].
 *
 * The result is right. But neighbouring lanes load from neighbouring rows,
 * and these are cols elements apart.
 *
 * Task: give each row a warp. Its lanes load neighbouring elements, and add up
 * their sums as in any reduction. A warp does not wait for other warps, so
 * there is no __syncthreads().
 *
 * Arrays: in, rows * cols elements; sums, rows elements. Sizes: rows, cols. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void add(const elem_t *in, elem_t *sums, size_t rows, size_t cols)
{
    size_t row = (size_t)blockIdx.x * BLOCK + threadIdx.x; /* FIXME: which thread loads what */
    elem_t sum = 0;

    if (row >= rows)
        return;
    for (size_t col = 0; col < cols; col++)
        sum += in[row * cols + col];

    sums[row] = sum;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t rows = task_size(task, "rows"), cols = task_size(task, "cols");

    add<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(in, sums, rows, cols);
    CHECK(cudaGetLastError());
}
