/* Kernels of the harness around a timed reduction. */
#include "kernels.h"
#include "check.h"

#include <cuda_runtime.h>

static __global__ void read_all(unsigned *buffer, size_t words)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned seen = 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride)
        seen |= buffer[i];
    /* The buffer is all zeros, so nothing is ever stored; the compiler cannot know. */
    if (seen != 0)
        buffer[0] = seen;
}

static __global__ void spin(long long cycles)
{
    long long start = clock64();

    while (clock64() - start < cycles)
        ;
}

static __global__ void nothing(void)
{
}

struct flush flush_new(size_t l2_bytes)
{
    struct flush flush;
    flush.words = 4 * l2_bytes / sizeof *flush.buffer;
    CHECK(cudaMalloc((void **)&flush.buffer, flush.words * sizeof *flush.buffer));
    CHECK(cudaMemset(flush.buffer, 0, flush.words * sizeof *flush.buffer));
    return flush;
}

void flush_free(struct flush *flush)
{
    CHECK(cudaFree(flush->buffer));
}

void flush_enqueue(const struct flush *flush)
{
    read_all<<<1024, 256>>>(flush->buffer, flush->words);
    CHECK(cudaGetLastError());
}

void spin_enqueue(void)
{
    spin<<<1, 1>>>(200000);
    CHECK(cudaGetLastError());
}

void empty_launch(const elem_t *in, sum_t *out, sum_t *scratch, size_t n)
{
    (void)in, (void)out, (void)scratch, (void)n;
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError());
}
