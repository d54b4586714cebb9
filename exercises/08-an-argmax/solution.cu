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

struct best {
    elem_t value;
    int at; /* its index in the array of the task */
};

/* The larger of two, of equal ones the one in front. */
__device__ struct best better(struct best a, struct best b)
{
    return b.value > a.value || (b.value == a.value && b.at < a.at) ? b : a;
}

/* The best x of a warp, in its lane 0. */
__device__ struct best join_warp(struct best x)
{
    for (unsigned delta = 16; delta > 0; delta /= 2) {
        struct best y = {__shfl_down_sync(0xffffffff, x.value, delta),
                         __shfl_down_sync(0xffffffff, x.at, delta)};
        x = better(x, y);
    }
    return x;
}

/* Every block leaves a value and its index. places: the elements', or NULL. */
__global__ void find(const elem_t *in, const int *places, /* searched */
                     elem_t *max, int *at, size_t n)
{
    __shared__ struct best s[BLOCK / 32];
    unsigned tid = threadIdx.x;
    size_t step = (size_t)gridDim.x * BLOCK;
    struct best x = {in[0], places ? places[0] : 0};

    for (size_t i = (size_t)blockIdx.x * BLOCK + tid; i < n; i += step) {
        struct best y = {in[i], places ? places[i] : (int)i};
        x = better(x, y);
    }

    x = join_warp(x);
    if (tid % 32 == 0)
        s[tid / 32] = x;
    __syncthreads();

    if (tid < 32) {
        x = s[tid % (BLOCK / 32)];
        x = join_warp(x);
    }
    if (tid == 0) {
        max[blockIdx.x] = x.value;
        at[blockIdx.x] = x.at;
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *max = task_out(task, "max"), *maxima = task_work(task, "maxima");
    int *at = task_out_int(task, "at");
    int *places = (int *)task_array(task, "places", TASK_WORK, sizeof *places);
    size_t n = task_size(task, "n"), blocks = (n + TILE - 1) / TILE;

    find<<<blocks, BLOCK>>>(in, NULL, maxima, places, n);
    CHECK(cudaGetLastError());
    find<<<1, BLOCK>>>(maxima, places, max, at, blocks);
    CHECK(cudaGetLastError());
}
