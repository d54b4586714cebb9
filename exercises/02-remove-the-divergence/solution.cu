/* Exercise 02: remove the divergence.
 *
 * most[r] becomes the largest of the 32 elements in[32 * r … 32 * r + 31] of
 * row r. A block of 256 threads takes 8 rows, a thread for each element.
 *
 * The result is right. But in the first round every second thread compares,
 * in the next every fourth: all eight warps stay busy with ever fewer of
 * their lanes.
 *
 * Task: number the pairs of a round over all 8 rows of the block, 0, 1, 2, …,
 * and let thread t take pair t. The first threads then do all the work, and
 * whole warps have none. The values still meet in shared memory, not in
 * shuffles or atomics. Bank conflicts do not matter here; the loads of in stay
 * coalesced.
 *
 * The mark shows the divergence by the loads from shared memory: a warp that
 * has pairs loads, with 32 lanes or with one; a warp without pairs does not.
 * Few loads with many lanes each mean that few warps do all the work.
 *
 * Arrays: in, rows x 32 elements; most, rows elements. Size: rows. */
#include "task.h"

#define BLOCK 256            /* threads per block */
#define COLS  32             /* elements of a row */
#define ROWS  (BLOCK / COLS) /* rows per block */

__global__ void find_most(const elem_t *in, elem_t *most, size_t rows)
{
    __shared__ elem_t s[ROWS][COLS];
    unsigned tid = threadIdx.x, row = tid / COLS, col = tid % COLS;
    size_t first = (size_t)blockIdx.x * ROWS;

    s[row][col] = first + row < rows ? in[first * COLS + tid] : 0;
    __syncthreads();

    for (unsigned stride = 1; stride < COLS; stride *= 2) {
        unsigned pairs = COLS / (2 * stride); /* of one row */
        if (tid < ROWS * pairs) {
            unsigned r = tid / pairs, left = tid % pairs * (2 * stride);
            s[r][left] = max(s[r][left], s[r][left + stride]);
        }
        __syncthreads();
    }

    if (tid < ROWS && first + tid < rows)
        most[first + tid] = s[tid][0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *most = task_out(task, "most");
    size_t rows = task_size(task, "rows");

    find_most<<<(rows + ROWS - 1) / ROWS, BLOCK>>>(in, most, rows);
    CHECK(cudaGetLastError());
}
