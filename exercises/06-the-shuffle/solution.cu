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

#define BLOCK 256          /* threads per block */
#define WARPS (BLOCK / 32) /* of a block */

__global__ void find(const elem_t *in, elem_t *least, elem_t *most, size_t n)
{
    __shared__ elem_t low[WARPS], high[WARPS];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * (2 * BLOCK) + tid, j = i + BLOCK;
    elem_t a = in[i < n ? i : n - 1], b = in[j < n ? j : n - 1];
    elem_t lo = min(a, b), hi = max(a, b);

    for (unsigned delta = 16; delta > 0; delta /= 2) {
        lo = min(lo, __shfl_down_sync(0xffffffff, lo, delta));
        hi = max(hi, __shfl_down_sync(0xffffffff, hi, delta));
    }
    if (tid % 32 == 0) {
        low[tid / 32] = lo;
        high[tid / 32] = hi;
    }
    __syncthreads();

    if (tid < 32) {
        lo = low[tid % WARPS]; /* four lanes have the same value */
        hi = high[tid % WARPS];
        for (unsigned delta = WARPS / 2; delta > 0; delta /= 2) {
            lo = min(lo, __shfl_down_sync(0xffffffff, lo, delta));
            hi = max(hi, __shfl_down_sync(0xffffffff, hi, delta));
        }
    }

    if (tid == 0) {
        least[blockIdx.x] = lo;
        most[blockIdx.x] = hi;
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
