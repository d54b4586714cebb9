/* Right: each warp counts on its own. */
#include "task.h"

#define BLOCK 256
#define TILE  4096
#define BINS  64

__global__ void count(const int *keys, int *counts, size_t n)
{
    __shared__ int s[8][64];
    int t = threadIdx.x, w = t / 32;
    for (int k = t; k < 8 * 64; k += 256)
        (&s[0][0])[k] = 0;
    __syncthreads();
    size_t first = (size_t)blockIdx.x * 4096;
    for (int r = 0; r < 16; r++) {
        size_t i = first + r * 256 + t;
        if (i < n)
            atomicAdd(&s[w][keys[i]], 1);
    }
    __syncthreads();
    if (t < 64) {
        int c = 0;
        for (int k = 0; k < 8; k++)
            c += s[k][t];
        if (c)
            atomicAdd(&counts[t], c);
    }
}
