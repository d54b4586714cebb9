/* In flight: a kernel that only reads, with as many loads and blocks as two constants say.
 *
 * Read it before step 06, with the interlude of NOTES.md: by Little's law, the bytes in flight are
 * the bandwidth times the latency of a load. Here LOADS is how many loads a thread sends before it
 * needs the first answer, and BLOCKS how many blocks each multiprocessor has. So at most
 *
 *     4 bytes x LOADS x BLOCK threads x BLOCKS x multiprocessors
 *
 * are in flight, by many loads in few threads or by few loads in many.
 *
 * Look at: requests and sectors of the load in the loop, with LOADS 1 and with LOADS 16. Do you
 * expect a counter to tell how many loads are in flight?
 *
 * On a GPU, at 2^28: which bandwidth do you expect with LOADS 1 and BLOCKS 1, 2, 4 and 8? And of
 * BLOCKS 1 with LOADS 8, or BLOCKS 8 with LOADS 1, which is faster? How many bytes are enough?
 * (`make bench-in-flight` tries them all, plots/in-flight.svg shows what came.)
 *
 * The loop is not unrolled, or there would be more loads in flight than LOADS; nvcc 13.0 leaves it
 * so (cuobjdump -sass). Blocks are as few as the launch asks for: a GPU deals them out evenly.
 * Shared memory that nobody uses would make that sure, but at the cost of the L1 cache, in which a
 * load has its place while it is in flight.
 *
 * In flight: 4 loads per thread. */
#include "lab.h"

#define LOADS  4 /* in flight per thread: 1 to 32 */
#define BLOCKS 8 /* per multiprocessor; of LOADS 32 at most 6 blocks of 256 have room */
#define TILE   (LOADS * BLOCK)

/* Registers for that many loads; left alone, nvcc takes 32 and sends some of 32 loads later. */
__global__ void __launch_bounds__(BLOCK, (LOADS < 32 ? 2048 : 1280) / BLOCK)
    reduce_tiles(const elem_t *in, elem_t *out, size_t n)
{
    elem_t sum = 0;

#pragma unroll 1
    for (size_t i = (size_t)blockIdx.x * TILE; i < n; i += (size_t)gridDim.x * TILE) {
        if (i + TILE <= n) {
#pragma unroll
            for (unsigned k = 0; k < TILE; k += BLOCK)
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

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static int multiprocessors; /* asked once, in the untimed call */

    (void)scratch;
    if (multiprocessors == 0)
        CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaMemsetAsync(out, 0, sizeof *out)); /* the same bits are 0 in int and float */
    reduce_tiles<<<BLOCKS * multiprocessors, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}
