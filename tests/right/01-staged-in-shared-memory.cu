/* Right: the tile goes through shared memory, and each thread adds its 16 from there. */
#include "task.h"

#define BLOCK 256 /* threads per block */
#define ELEMS 16  /* elements per thread */
#define TILE  (ELEMS * BLOCK)

__global__ void add_tiles(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK], all[TILE];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    for (unsigned k = 0; k < ELEMS; k++) {
        size_t i = tile + k * BLOCK + tid;
        all[k * BLOCK + tid] = i < n ? in[i] : 0;
    }
    __syncthreads();
    for (unsigned k = 0; k < ELEMS; k++)
        sum += all[tid * ELEMS + k];
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
