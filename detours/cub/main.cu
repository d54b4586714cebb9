/* CUB: the reduction of NVIDIA's own library, which comes with the CUDA toolkit.
 *
 * Read it after step 07, to see what a library offers: one call, tuned for every GPU. Its first
 * call asks how much temporary memory it needs; that is allocated outside the timed part.
 *
 * Look at: its time, beside that of step 07, at 2^10, 2^14, 2^22 and 2^30. CUB, too, adds many
 * elements per thread in registers and finishes with shuffles. What limits both at each of these n,
 * and how much can tuning do about it?
 *
 * Measured with: float and double, too.
 *
 * Source: CUB's documentation, cub::DeviceReduce. */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "CUB, a library of the CUDA toolkit");
}

#else

#include "version.h"

#include <cub/device/device_reduce.cuh>
#include <limits.h>

static cudaError_t sum(void *temp, size_t *bytes, const elem_t *in, elem_t *out, size_t n)
{
    /* CUB is faster with 32-bit indices, and takes them when the count is an int. */
    if (n <= INT_MAX)
        return cub::DeviceReduce::Sum(temp, *bytes, in, out, (int)n);
    return cub::DeviceReduce::Sum(temp, *bytes, in, out, n);
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static void *temp;
    static size_t bytes;

    (void)scratch;
    if (!temp) { /* the first, untimed call; n is the same in all of them */
        CHECK(sum(NULL, &bytes, in, out, n));
        CHECK(cudaMalloc(&temp, bytes));
    }
    CHECK(sum(temp, &bytes, in, out, n));
}

int main(int argc, char **argv)
{
    lab_uses(cub_name());
    return lab_main(argc, argv, reduce);
}

#endif
