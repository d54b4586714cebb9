/* Right: a tree of values and indices in shared memory, and blocks of 512 threads. */
#include "task.h"

#define BLOCK 512

__global__ void find(const elem_t *in, const int *places, elem_t *max, int *at, size_t n)
{
    __shared__ elem_t v[BLOCK];
    __shared__ int p[BLOCK];
    unsigned tid = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 2048, i = first + tid < n ? first + tid : first;

    v[tid] = in[i];
    p[tid] = places ? places[i] : (int)i;
    for (size_t end = first + 2048 < n ? first + 2048 : n; i < end; i += BLOCK)
        if (in[i] > v[tid]) {
            v[tid] = in[i];
            p[tid] = places ? places[i] : (int)i;
        }
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        unsigned t = tid + stride;
        if (tid < stride && (v[t] > v[tid] || (v[t] == v[tid] && p[t] < p[tid]))) {
            v[tid] = v[t];
            p[tid] = p[t];
        }
        __syncthreads();
    }
    if (tid == 0) {
        max[blockIdx.x] = v[0];
        at[blockIdx.x] = p[0];
    }
}

void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *max = task_out(task, "max"), *maxima = task_work(task, "maxima");
    int *at = task_out_int(task, "at");
    int *places = (int *)task_array(task, "places", TASK_WORK, sizeof *places);
    size_t n = task_size(task, "n"), blocks = (n + 2047) / 2048;

    find<<<blocks, BLOCK>>>(in, NULL, maxima, places, n);
    CHECK(cudaGetLastError());
    find<<<1, BLOCK>>>(maxima, places, max, at, blocks);
    CHECK(cudaGetLastError());
}
