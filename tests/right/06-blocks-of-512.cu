/* Right: 512 threads with one element each, whose thread 0 joins 16 pairs. */
#include "task.h"

#define BLOCK 512          /* threads per block */
#define WARPS (BLOCK / 32) /* of a block */

__global__ void find(const elem_t *in, elem_t *least, elem_t *most, size_t n)
{
    __shared__ elem_t low[WARPS], high[WARPS];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;
    elem_t a = in[i < n ? i : n - 1];
    elem_t lo = a, hi = a;

    for (unsigned delta = 16; delta > 0; delta /= 2) {
        lo = min(lo, __shfl_down_sync(0xffffffff, lo, delta));
        hi = max(hi, __shfl_down_sync(0xffffffff, hi, delta));
    }
    if (tid % 32 == 0) {
        low[tid / 32] = lo;
        high[tid / 32] = hi;
    }
    __syncthreads();

    if (tid == 0) {
        for (unsigned w = 1; w < WARPS; w++) {
            lo = min(lo, low[w]);
            hi = max(hi, high[w]);
        }
        least[blockIdx.x] = lo;
        most[blockIdx.x] = hi;
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *least = task_out(task, "least"), *most = task_out(task, "most");
    size_t n = task_size(task, "n");

    find<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, least, most, n);
    CHECK(cudaGetLastError());
}
