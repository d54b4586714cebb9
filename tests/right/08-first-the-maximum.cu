/* Right: the maximum of a block first, then the smallest index of those that hold it in a register.
 */
#include "task.h"

#define BLOCK 256
#define EACH  8
#define TILE  (BLOCK * EACH)

template <class T> __device__ T join_block(T x, T *s, bool largest)
{
    __syncthreads();
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
        T y = __shfl_xor_sync(0xffffffff, x, lanes);
        x = (largest ? y > x : y < x) ? y : x;
    }
    if (threadIdx.x % 32 == 0)
        s[threadIdx.x / 32] = x;
    __syncthreads();
    for (unsigned w = 0; w < BLOCK / 32; w++)
        x = (largest ? s[w] > x : s[w] < x) ? s[w] : x;
    return x;
}

__global__ void find(const elem_t *in, const int *places, elem_t *max, int *at, size_t n)
{
    __shared__ elem_t v[BLOCK / 32];
    __shared__ int p[BLOCK / 32];
    size_t first = (size_t)blockIdx.x * BLOCK * EACH + threadIdx.x;
    elem_t x[EACH], best = in[n - 1];
    int place = 0x7fffffff;

    for (int k = 0; k < EACH; k++) {
        size_t i = first + k * BLOCK;
        x[k] = i < n ? in[i] : best;
        best = k == 0 || x[k] > best ? x[k] : best;
    }
    best = join_block(best, v, true);
    for (int k = EACH - 1; k >= 0; k--) {
        size_t i = first + k * BLOCK;
        if (i < n && x[k] == best)
            place = places ? places[i] : (int)i;
    }
    place = join_block(place, p, false);
    if (threadIdx.x == 0) {
        max[blockIdx.x] = best;
        at[blockIdx.x] = place < 0x7fffffff ? place : (int)n - 1;
    }
}
