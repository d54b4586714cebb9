/* Right: each lane loads 16 bytes at a time. */
#include "task.h"

#define BLOCK 256 /* threads per block */
#define ELEMS 16  /* elements per thread */
#define TILE  (ELEMS * BLOCK)

#define WIDE (16 / sizeof(elem_t))
struct __align__(16) wide
{
    elem_t of[WIDE];
};

__global__ void add_tiles(const elem_t *in, elem_t *sums, size_t n)
{
    __shared__ elem_t s[BLOCK];
    unsigned tid = threadIdx.x;
    size_t tile = (size_t)blockIdx.x * TILE;
    elem_t sum = 0;

    for (unsigned k = 0; k < ELEMS / WIDE; k++) {
        size_t i = tile + (k * BLOCK + tid) * WIDE;
        if (i + WIDE <= n) {
            struct wide v = *(const struct wide *)(in + i);
            for (unsigned j = 0; j < WIDE; j++)
                sum += v.of[j];
        } else
            for (; i < n && i < tile + (k * BLOCK + tid + 1) * WIDE; i++)
                sum += in[i];
    }
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
