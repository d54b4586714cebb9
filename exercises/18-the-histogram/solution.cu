/* Exercise 18: a histogram with atomics.
 *
 * counts[k] becomes the number of keys[0 … n - 1] that are k, for each k from 0
 * to 63. A block looks at 4096 keys.
 *
 * The result is right. But each key is an atomic on global memory, and all
 * blocks want the same 64 words: they wait for each other. So do the lanes
 * of a warp that want one word: the more equal keys, the longer they wait.
 *
 * Task: let each block count in shared memory, by atomics there, and add its
 * 64 counts to those in global memory once, at the end, side by side. All its
 * warps still look at their share of the keys.
 *
 * Before you begin, write down what your program will have:
 * PREDICT: atomics on global memory, by warps, per block = ?
 *
 * Arrays: keys, n ints; counts, 64 ints. */
#include "task.h"

#define BLOCK 256  /* threads per block */
#define TILE  4096 /* keys per block */
#define BINS  64

__global__ void count(const int *keys, int *counts, size_t n)
{
    __shared__ int s[BINS];
    unsigned tid = threadIdx.x;
    size_t first = (size_t)blockIdx.x * TILE;
    size_t end = first + TILE < n ? first + TILE : n;

    if (tid < BINS)
        s[tid] = 0;
    __syncthreads();

    for (size_t i = first + tid; i < end; i += BLOCK)
        atomicAdd(&s[keys[i]], 1);
    __syncthreads();

    if (tid < BINS)
        atomicAdd(&counts[tid], s[tid]);
}

void task_run(const struct task *task)
{
    const int *keys = task_in_int(task, "keys");
    int *counts = task_out_int(task, "counts");
    size_t n = task_size(task, "n");

    CHECK(cudaMemset(counts, 0, BINS * sizeof *counts));
    count<<<(n + TILE - 1) / TILE, BLOCK>>>(keys, counts, n);
    CHECK(cudaGetLastError());
}
