/* A launch that does nothing: the time below which no reduction can be. */
#include "empty.h"
#include "check.h"

__global__ void nothing(void)
{
}

void empty_launch(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)in, (void)out, (void)scratch, (void)n;
    nothing<<<1, 1>>>();
    CHECK(cudaGetLastError());
}
