/* Exercise 08: an argmax.
 *
 * Each block finds the largest of the elements that its threads have loaded,
 * a second launch, of one block, the largest of all: max[0] is right.
 *
 * Task: find also where it is: at[0] is to be the index of the largest
 * element; of several equal ones, the smallest index. Do not load elements
 * again, neither to search them nor to compare those at two indices: the first
 * launch can leave indices in places. The loads stay coalesced, by all warps.
 *
 * Arrays: in, n elements; max, one element; at, one int; to work with: maxima,
 * one element, and places, one int, for each 2048 of in. */
#include "task.h"

#define BLOCK 256  /* threads per block */
#define TILE  2048 /* elements per block, in the first launch */

/* The largest x of a warp, in its lane 0. */
__device__ elem_t join_warp(elem_t x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        elem_t other = __shfl_down_sync(0xffffffff, x, delta);
        x = other > x ? other : x;
    }
    return x;
}

/* Every block leaves one value. */
__global__ void find(const elem_t *in, elem_t *max, size_t n)
{
    __shared__ elem_t s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t step = (size_t)gridDim.x * BLOCK;
    elem_t x = in[0]; /* one more of these changes no maximum */

    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += step)
        x = in[i] > x ? in[i] : x;

    x = join_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < 32)
        x = join_warp(s[tid % (BLOCK / 32)]);
    if (tid == 0)
        max[blockIdx.x] = x;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *max = task_out(task, "max"), *maxima = task_work(task, "maxima");
    int *at = task_out_int(task, "at");
    int *places = (int *)task_array(task, "places", TASK_WORK, sizeof *places);
    size_t n = task_size(task, "n"), blocks = (n + TILE - 1) / TILE;

    (void)at, (void)places; /* FIXME: kernels that leave indices there */
    find<<<blocks, BLOCK>>>(in, maxima, n);
    CHECK(cudaGetLastError());
    find<<<1, BLOCK>>>(maxima, max, blocks);
    CHECK(cudaGetLastError());
}
