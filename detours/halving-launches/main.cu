/* One launch per level: the upper half of the array is added onto the lower, until one is left.
 *
 * Read it before step 01: the simplest tree there is, with no shared memory and no barrier. The end
 * of a launch is the barrier, for all blocks at once.
 *
 * Look at: launches, and lanes of the line that adds (--annotate). Each level writes its sums to
 * global memory and the next reads them back: for n elements, how many are read and written in all?
 * From the second launch on all work in place, in scratch: why may they?
 *
 * On a GPU, compare the time with that of step 07 at 2^10, 2^20 and 2^30. Which costs most at each
 * of them: the launches, or the traffic?
 *
 * Source: write-up 4 (reduce0), for any n. */
#include "lab.h"

__global__ void add_halves(const elem_t *in, elem_t *sums, size_t n, size_t half)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < half)
        sums[i] = in[i] + (i + half < n ? in[i + half] : 0);
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    do {
        size_t half = (n + 1) / 2;
        elem_t *sums = half > 1 ? scratch : out;

        add_halves<<<(half + BLOCK - 1) / BLOCK, BLOCK>>>(in, sums, n, half);
        CHECK(cudaGetLastError());
        in = sums;
        n = half;
    } while (n > 1);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
