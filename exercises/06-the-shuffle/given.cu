/* Exercise 06: the shuffle.
 *
 * least[b] becomes the smallest, most[b] the largest of in[512 * b … 512 * b
 * + 511]; the last block may have fewer. A thread loads two elements;
 * behind the last element it loads the last one again. Two trees in shared
 * memory then find the smallest and the largest of the block.
 *
 * The result is right. But every round of the trees goes through shared
 * memory: store, wait, load.
 *
 * Task: let the lanes of a warp read each other's registers, by
 * __shfl_down_sync(). Of each warp one pair of values goes through shared
 * memory, once; one barrier per block is enough. All warps still load their
 * share.
 *
 * Before you begin, write down what your program will have (at n = 4096):
 * PREDICT: shuffles per block, by warps, = ?
 *
 * Arrays: in, n elements; least and most, one element for each 512. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__global__ void find(const elem_t *in, elem_t *least, elem_t *most, size_t n)
{
    __shared__ elem_t low[BLOCK], high[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid, j = i + BLOCK;
    elem_t a = in[i < n ? i : n - 1], b = in[j < n ? j : n - 1];

    low[tid] = min(a, b); /* FIXME: from here on */
    high[tid] = max(a, b);
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            low[tid] = min(low[tid], low[tid + stride]);
            high[tid] = max(high[tid], high[tid + stride]);
        }
        __syncthreads();
    }

    if (tid == 0) {
        least[blockIdx.x] = low[0];
        most[blockIdx.x] = high[0];
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *least = task_out(task, "least"), *most = task_out(task, "most");
    size_t n = task_size(task, "n");

    find<<<(n + 2 * BLOCK - 1) / (2 * BLOCK), BLOCK>>>(in, least, most, n);
    CHECK(cudaGetLastError());
}
