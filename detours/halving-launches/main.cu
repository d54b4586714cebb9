/* One launch per level: the upper half of the array is added onto the lower, until one is left.
 *
 * Read it before step 01: the simplest tree there is, with no shared memory and no barrier. The end
 * of a launch is the barrier, for all blocks at once.
 *
 * Look at: log2(n) launches. Each level writes its sums to global memory and the next reads them
 * back: 2 n reads and n writes in all, three times the traffic of one pass. The first launch reads
 * the input and writes scratch; all others work in scratch, in place.
 *
 * Expect: more than four times the time of step 07 where n is large: three times the traffic, a
 * third of it writing. Where n is small it is the launches: 20 of them for 2^20 elements.
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
