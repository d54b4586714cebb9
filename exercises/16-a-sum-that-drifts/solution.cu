/* Exercise 16: a sum that drifts.
 *
 * The elements are prices, such as 3.3333: floats. Each block adds up 256 of
 * them in a tree, and adds its sum to price[0]: the sum of in[0 … n - 1].
 *
 * For some thousands of elements the result is right. But for 300000 of them
 * it is off in its sixth digit, though a float has seven.
 *
 * Task: find where the digits are lost, and keep them: price[0] differs from
 * the exact sum by less than a millionth of it. price[0] stays a float, and
 * the tree stays, too: it loses hardly any digits. All warps still load their
 * share.
 *
 * Arrays: in, n elements; price, one element; sums, to work with, one element
 * for each 256. */
#include "task.h"

#define BLOCK 256 /* threads per block */

__device__ double total; /* of all blocks; 0 between launches */

__global__ void add_blocks(const elem_t *in, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t i = (size_t)blockIdx.x * BLOCK + tid;

    s[tid] = i < n ? in[i] : 0;
    __syncthreads();

    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            s[tid] += s[tid + stride];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(&total, (double)s[0]);
}

__global__ void round_total(elem_t *price)
{
    *price = (elem_t)total; /* once, at the end */
    total = 0;
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *price = task_out(task, "price");
    size_t n = task_size(task, "n");

    add_blocks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, n);
    CHECK(cudaGetLastError());
    round_total<<<1, 1>>>(price);
    CHECK(cudaGetLastError());
}
