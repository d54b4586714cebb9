/* Exercise 01: coalesce these loads.
 *
 * Each thread adds 16 elements, then a tree in shared memory adds up the
 * block's 256 sums: sums[b] becomes the sum of in[4096 * b … 4096 * b +
 * 4095]. The last block may have fewer elements.
 *
 * The result is right. But a thread's 16 elements lie side by side, so the 32
 * lanes of a warp load from 32 places far apart: each load needs 32 sectors of
 * 32 bytes.
 *
 * Task: let the same threads load the same 4096 elements, the block's tile, so
 * that neighbouring lanes load neighbouring elements. The mark counts sectors
 * per 32 elements. This is sectors/request, unless a lane loads several
 * elements at once (int4), or the kernel loads an element twice.
 *
 * Before you begin, write down what your program will have, for ints:
 * PREDICT: sectors/request of the loads = ?
 *
 * Arrays: in, n elements; sums, one element for each 4096. */
#include "task.h"

#define BLOCK 256 /* threads per block */
#define ELEMS 16  /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void add_tiles(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    for (unsigned k = 0; k < ELEMS; k++) {
        size_t i = tile + k * BLOCK + tid;
        if (i < n)
            sum += in[i];
    }
    s[tid] = sum;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        sums[blockIdx.x] = s[0];
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *sums = task_out(task, "sums");
    size_t n = task_size(task, "n");

    add_tiles<<<(n + TILE - 1) / TILE, BLOCK>>>(in, sums, n);
    CHECK(cudaGetLastError());
}
