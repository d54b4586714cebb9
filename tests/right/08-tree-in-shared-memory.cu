/* Right: a tree of values and indices in shared memory, and blocks of 512 threads. */
#include "task.h"

#define BLOCK 512
#define TILE  2048

__global__ void find(const elem_t *in, const int *places, elem_t *max, int *at, size_t n)
{
    __shared__ elem_t v[BLOCK];
    __shared__ int p[BLOCK];
    unsigned tid = threadIdx.x;
    size_t first = (size_t)blockIdx.x * TILE, i = first + tid < n ? first + tid : first;

    v[tid] = in[i];
    p[tid] = places ? places[i] : (int)i;
    for (size_t end = first + TILE < n ? first + TILE : n; i < end; i += BLOCK)
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
