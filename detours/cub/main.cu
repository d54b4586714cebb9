/* CUB: the reduction of NVIDIA's own library, which comes with the CUDA toolkit.
 *
 * Read it after step 07, to see what a library offers: one call, tuned for every GPU. Its first
 * call asks how much temporary memory it needs; that is allocated outside the timed part.
 *
 * Look at: its time, beside that of step 07, at 2^10, 2^14, 2^22 and 2^30. CUB, too, adds many
 * elements per thread in registers and finishes with shuffles. What limits both at each of these n,
 * and how much can tuning do about it?
 *
 * Elements of two bytes (TYPE=half, TYPE=bfloat16) are added up as floats, as in two-bytes.
 *
 * Measured with: float, double, half and bfloat16, too.
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

#if ELEM_TWO_BYTES /* an iterator turns each into a float: CUB's sum is of its input's type */

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/iterator/transform_iterator.h>

#if ELEM_IS_HALF
typedef __half narrow;
#else
typedef __nv_bfloat16 narrow;
#endif

struct to_float {
    __device__ float operator()(narrow value) const
    {
        return value;
    }
};

static auto input(const elem_t *in)
{
    return thrust::make_transform_iterator((const narrow *)in, to_float());
}

#else

static const elem_t *input(const elem_t *in)
{
    return in;
}

#endif

static cudaError_t sum(void *temp, size_t *bytes, const elem_t *in, sum_t *out, size_t n)
{
    /* CUB is faster with 32-bit indices, and takes them when the count is an int. */
    if (n <= INT_MAX)
        return cub::DeviceReduce::Sum(temp, *bytes, input(in), out, (int)n);
    return cub::DeviceReduce::Sum(temp, *bytes, input(in), out, n);
}

static void reduce(const elem_t *in, sum_t *out, sum_t *scratch, size_t n)
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
