/* A kernel that only waits. */
#include "spin.h"
#include "check.h"

__global__ void spin(long long cycles)
{
    long long start = clock64();

    while (clock64() - start < cycles)
        ;
}

void spin_enqueue(void)
{
    spin<<<1, 1>>>(200000);
    CHECK(cudaGetLastError());
}
