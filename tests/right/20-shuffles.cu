/* Right: each warp by shuffles, then the sums of the warps before it; blocks of 1024 threads with
 * four segments. */
#include "task.h"

#define BLOCK 1024

__global__ void add_before(const elem_t *in, elem_t *prefix, size_t n)
{
    __shared__ elem_t s[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    size_t i = (size_t)blockIdx.x * 1024 + threadIdx.x;
    elem_t sum = i < n ? in[i] : 0;

    for (unsigned d = 1; d < 32; d *= 2) {
        elem_t before = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? before : 0;
    }
    if (lane == 31)
        s[warp] = sum;
    __syncthreads();
    for (unsigned w = warp / 8 * 8; w < warp; w++)
        sum += s[w];
    if (i < n)
        prefix[i] = sum;
}
