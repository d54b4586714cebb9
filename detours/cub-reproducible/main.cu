/* CUB reproducible: the same bits on every GPU, whichever order its blocks run in.
 *
 * Read it after cub and deterministic-float. From version 3.1 on the caller of CUB may ask for
 * gpu_to_gpu: the sum has the same bits on every GPU. A fixed order would do; CUB goes further and
 * makes the sum independent of the order. It cuts each number into pieces, by fixed ranges of
 * exponents, and adds pieces of one range, which needs no rounding.
 *
 * Look at: the time, beside those of cub and deterministic-float, at 2^14, 2^20 and 2^28, in floats
 * and in doubles. How many additions does a number take here? And is the sum right at 2^29 and at
 * 2^30?
 *
 * Measured with: double, too.
 *
 * Source: CUB's documentation, cub::DeviceReduce, on determinism; J. Demmel and H. D. Nguyen, Fast
 * Reproducible Floating-Point Summation, 2013. */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "CUB 3.1 or later, a library of the CUDA toolkit");
}

#else

#include "../cub/version.h"

#if CUB_OLD

int main(int argc, char **argv)
{
    return cub_is_too_old(argc, argv);
}

#else

#include "../cub/kept_memory.h"

#include <cub/device/device_reduce.cuh>
#include <limits.h>

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    auto env = cuda::std::execution::env{
        cuda::execution::require(cuda::execution::determinism::gpu_to_gpu),
        cuda::std::execution::prop{cuda::mr::get_memory_resource, kept_memory{}}};

    (void)scratch;
    CHECK(n <= INT_MAX ? cub::DeviceReduce::Sum(in, out, (int)n, env)
                       : cub::DeviceReduce::Sum(in, out, n, env));
}

int main(int argc, char **argv)
{
    lab_uses(cub_name());
    return lab_main(argc, argv, reduce);
}

#endif
#endif
