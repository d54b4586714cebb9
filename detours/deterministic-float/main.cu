/* Deterministic float: the same sum to the last bit, whatever the block and the grid.
 *
 * Read it after atomic-finish. Every float addition rounds, so the sum depends on the order. In the
 * steps the order depends on BLOCK, in atomic-finish on which block finishes first. Run that a
 * dozen times with TYPE=float and --uniform (without a GPU: with --order 1, 2, 3, …). How many
 * different sums do you see?
 *
 * Idea: tie the order to the elements' numbers and to nothing else. A segment of 1024 elements
 * belongs to one warp: lane l adds elements l, l + 32, … in this order, then five shuffles add the
 * lanes, always the same pairs. How many warps share a block, or run at a time, changes nothing.
 * The bits are the same on every GPU, and on the CPU backend, too.
 *
 * Look at: the sums with --uniform, for one BLOCK and another, and on the CPU backend with --order
 * 1, 2, 3. Then shared requests and warps at __syncthreads: what would need them here?
 *
 * On a GPU, compare the time with that of step 07 (TYPE=float) at 2^12, 2^24 and 2^30. A segment
 * leaves one sum for 1024 elements, step 07's tile one for 4096: for which n is that a launch more?
 * And the order itself: does a load of a thread wait for another one?
 *
 * Source: N. J. Higham, Accuracy and Stability of Numerical Algorithms, ch. 4, on orders of
 * summation; write-up 0, on the order being free for whole numbers. */
#include "lab.h"

#define SEGMENT 1024 /* elements per warp; another number gives other bits */

__global__ void reduce_segments(const elem_t *in, elem_t *sums, size_t n)
{
    size_t segment = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    size_t begin = segment * SEGMENT;
    unsigned lane = threadIdx.x % 32;
    elem_t sum = 0;

    if (begin >= n) /* the whole warp: no lane of it is waited for */
        return;
    if (begin + SEGMENT <= n) {
#pragma unroll
        for (unsigned i = 0; i < SEGMENT; i += 32)
            sum += in[begin + i + lane];
    } else {
        for (size_t i = begin + lane; i < n; i += 32)
            sum += in[i];
    }

    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (lane == 0)
        sums[segment] = sum;
}

/* Every launch leaves one sum a segment; they are the next launch's input, until one is left. */
static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t segments = (n + SEGMENT - 1) / SEGMENT;
        elem_t *sums = segments > 1 ? scratch : out;

        reduce_segments<<<(segments * 32 + BLOCK - 1) / BLOCK, BLOCK>>>(in, sums, n);
        CHECK(cudaGetLastError());
        in = sums;
        n = segments;
        scratch += segments;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
