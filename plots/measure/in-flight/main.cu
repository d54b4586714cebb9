/* In flight: bandwidth against the bytes that are in flight.
 *
 * A kernel whose threads have 1, 2, 4 … 32 loads in flight, launched with 1, 2, 4 or 8 blocks per
 * multiprocessor: the harness verifies and times each, as if it were a program of its own, and
 * reports it.
 *
 * What is in flight at most is blocks x multiprocessors x threads x loads x 4 bytes. The kernel is
 * a grid-stride loop over tiles, LOADS elements per thread: a thread sends LOADS loads, which do
 * not depend on each other, waits for all of them, adds them up, and comes back. So the same bytes
 * can be in flight by many loads in few threads and by few loads in many. The loop is not unrolled,
 * or there would be more loads in flight than it says; nvcc 13.0 leaves it so (cuobjdump -sass).
 *
 * Blocks are as few as the launch asks for: a GPU deals them out evenly. Shared memory that nobody
 * uses would make that sure, but at the cost of the L1 cache, in which a load has its place while
 * it is in flight. */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

/* Registers for that many loads; left alone, nvcc takes 32 and sends some of the 32 loads later. */
template <int LOADS>
__global__ void __launch_bounds__(BLOCK, LOADS < 32 ? 8 : 5)
    read_tiles(const elem_t *in, elem_t *out, size_t n)
{
    const unsigned tile = LOADS * BLOCK;
    elem_t sum = 0;

#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * tile; i < n; i += (size_t)gridDim.x * tile) {
        if (i + tile <= n) {
#pragma unroll
            for (unsigned k = 0; k < tile; k += BLOCK)
                sum += in[i + k + threadIdx.x];
        } else {
            for (size_t k = i + threadIdx.x; k < n; k += BLOCK)
                sum += in[k];
        }
    }
    for (unsigned delta = 16; delta > 0; delta /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, delta);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

/* What reduce launches; a reduction has no room for it in its arguments. */
static struct {
    void (*kernel)(const elem_t *in, elem_t *out, size_t n);
    int blocks;
} launch;

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    CHECK(cudaMemsetAsync(out, 0, sizeof *out));
    launch.kernel<<<launch.blocks, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

/* With each number of blocks per multiprocessor, as far as it has room for them. */
template <int LOADS> static void run(int argc, char **argv)
{
    int multiprocessors, most, status, blocks = 0;
    char what[64];

    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, read_tiles<LOADS>, BLOCK, 0));
    for (int wanted = 1; blocks < most && wanted <= 8; wanted *= 2) {
        blocks = wanted < most ? wanted : most;
        launch = {read_tiles<LOADS>, blocks * multiprocessors};
        snprintf(what, sizeof what, "loads=%d blocks=%d multiprocessors=%d", LOADS, blocks,
                 multiprocessors);
        lab_uses(what);
        status = lab_main(argc, argv, reduce);
        if (status != STATUS_OK)
            exit(status);
    }
}

int main(int argc, char **argv)
{
    run<1>(argc, argv);
    run<2>(argc, argv);
    run<4>(argc, argv);
    run<8>(argc, argv);
    run<16>(argc, argv);
    run<32>(argc, argv);
    return STATUS_OK;
}
