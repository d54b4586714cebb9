/* Deterministic float: the same sum to the last bit, whatever the block and the grid.
 *
 * Read it after atomic-finish. Every float addition rounds, so the sum depends on the order. In the
 * steps the order depends on BLOCK, in atomic-finish on which block finishes first: on an H200, 12
 * runs of it over the same 2^24 values of --uniform gave 6 different sums, from 8389076 to 8389083,
 * where 8389084 is right.
 *
 * Idea: tie the order to the elements' numbers and to nothing else. A segment of 1024 elements
 * belongs to one warp: lane l adds elements l, l + 32, … in this order, then five shuffles add the
 * lanes, always the same pairs. How many warps share a block, or run at a time, changes nothing.
 * The bits are the same on every GPU, and on the CPU backend, too.
 *
 * Look at: the sums with --uniform, for one BLOCK and another, and on the CPU backend with --order
 * 1, 2, 3: all the same here, and not in atomic-finish. No shared memory and no barrier.
 *
 * Expect: an eighth more time than step 07 at 2^24 floats, one or two percent more from 2^26 on.
 * The eighth is a third launch, since a segment leaves a sum for 1024 elements and step 07's tile
 * one for 4096. The order itself costs little: a thread's 32 loads do not depend on each other.
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
