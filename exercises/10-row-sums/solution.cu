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

#define BLOCK 256          /* threads per block */
#define ROWS  (BLOCK / 32) /* rows a block, each for a warp */

__global__ void add(const elem_t *in, elem_t *sums, size_t rows, size_t cols)
{
    size_t row = (size_t)blockIdx.x * ROWS + threadIdx.x / 32;
    unsigned lane = threadIdx.x % 32;
    elem_t sum = 0;

    if (row >= rows)
        return; /* a whole warp: no lane that shuffles is missing */
    for (size_t col = lane; col < cols; col += 32)
        sum += in[row * cols + col];
    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);

    if (lane == 0)
        sums[row] = sum;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t rows = task_size(task, "rows"), cols = task_size(task, "cols");

    add<<<(rows + ROWS - 1) / ROWS, BLOCK>>>(in, sums, rows, cols);
    CHECK(cudaGetLastError());
}
