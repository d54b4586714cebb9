/* CUB atomic: one kernel instead of two, where the order of additions may vary.
 *
 * Read it after cub and atomic-finish. From version 3.1 on the caller of CUB may say what it
 * guarantees of the sum: gpu_to_gpu, the same bits on every GPU; run_to_run, the default, the same
 * bits in every run on one GPU; or, here, nothing, so that every block adds its sum to the result
 * by an atomic, and no second launch is needed.
 *
 * Look at: the time, beside those of cub and of single-pass, at 2^10, 2^16, 2^20 and 2^28, in ints
 * and in floats. What does the result need before the first block may add to it? And where must
 * that cost more than a second launch?
 *
 * Measured with: float and double, too.
 *
 * Source: CUB's documentation, cub::DeviceReduce, on determinism. */
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
        cuda::execution::require(cuda::execution::determinism::not_guaranteed),
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
