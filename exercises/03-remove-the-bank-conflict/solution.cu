/* Exercise 03: remove the bank conflict.
 *
 * sums[r] becomes the sum of the 32 elements in[32 * r … 32 * r + 31] of row
 * r. A block loads 128 rows into shared memory, where neighbouring lanes load
 * neighbouring elements. Then each thread adds up one row.
 *
 * The result is right. But in each turn of that loop the 32 lanes of a warp
 * read 32 words of one bank, which the bank serves one after the other.
 *
 * Task: let the lanes of a warp read from 32 different banks in each turn.
 * The stores into s have no conflicts, the loads of in are coalesced, and both
 * stay so. Each thread still adds up one row of s. May it add the elements in
 * any order? Must a row of s have 32 words?
 *
 * Before you begin, write down what your program will have, for ints:
 * PREDICT: wavefronts/request of the loads from shared memory = ?
 *
 * Arrays: in, rows x 32 elements; sums, rows elements. Size: rows. */
#include "task.h"

#define BLOCK 128 /* threads and rows per block */
#define COLS  32  /* elements of a row */

__global__ void add_rows(const elem_t *in, elem_t *sums, size_t rows)
{
    __shared__ elem_t s[BLOCK][COLS];
    unsigned tid = threadIdx.x, col = tid % COLS;
    size_t first = (size_t)blockIdx.x * BLOCK;
    elem_t sum = 0;

    for (unsigned r = tid / COLS; r < BLOCK; r += BLOCK / COLS)
        s[r][col] = first + r < rows ? in[(first + r) * COLS + col] : 0;
    __syncthreads();

    /* The order is free: addition is associative and commutative, of floats up to roundings. Or
     * s[BLOCK][COLS + 1], with the loop as it was: word 33 * tid + k lies in another bank for each
     * lane. That takes 128 words more, which nobody reads. */
    for (unsigned k = 0; k < COLS; k++)
        sum += s[tid][(k + tid) % COLS]; /* lane l begins at column l */

    if (first + tid < rows)
        sums[first + tid] = sum;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t rows = task_size(task, "rows");

    add_rows<<<(rows + BLOCK - 1) / BLOCK, BLOCK>>>(in, sums, rows);
    CHECK(cudaGetLastError());
}
