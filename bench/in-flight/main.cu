/* In flight: bandwidth against the bytes that are in flight.
 *
 * A kernel whose threads have 1, 2, 4 … 32 loads in flight, launched with 1, 2, 4 or 8 blocks per
 * multiprocessor; then the steps, as they are, each with as many blocks as a multiprocessor holds
 * of it. All of them in one process, on one input, timed as the steps are. Prints a CSV row each.
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

#include "../one_input.h"

extern "C" {
#include "backend.h"
#include "verdict.h"
}

/* ---- the kernel ---- */

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

typedef void read_fn(const elem_t *in, elem_t *out, size_t n);

static const struct reader {
    int loads;
    read_fn *kernel;
} readers[] = {{1, read_tiles<1>}, {2, read_tiles<2>},   {4, read_tiles<4>},
               {8, read_tiles<8>}, {16, read_tiles<16>}, {32, read_tiles<32>}};

/* What reduce launches; a reduction has no room for it in its arguments. */
static struct {
    read_fn *kernel;
    unsigned blocks;
} launch;

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    CHECK(cudaMemsetAsync(out, 0, sizeof *out));
    launch.kernel<<<launch.blocks, BLOCK>>>(in, out, n);
    CHECK(cudaGetLastError());
}

/* ---- the steps that say in their headers how many loads they have in flight, as they are: each in
 * a namespace of its own, for they all call their kernel reduce_block ---- */

namespace step01
{
#include "../../steps/01-neighbored-pairs/main.cu"
}
namespace step02
{
#include "../../steps/02-strided-index/main.cu"
}
namespace step03
{
#include "../../steps/03-sequential-addressing/main.cu"
}
namespace step04
{
#include "../../steps/04-add-on-load/main.cu"
}
namespace step05
{
#include "../../steps/05-unroll-last-warp/main.cu"
}
namespace step06
{
#include "../../steps/06-thread-coarsening/main.cu"
}
namespace step07
{
#include "../../steps/07-warp-shuffle/main.cu"
}

#define STEP(number) #number, step##number::reduce, (const void *)step##number::reduce_block

static const struct step {
    const char *number;
    reduce_fn *reduce;
    const void *kernel;
} steps[] = {{STEP(01)}, {STEP(02)}, {STEP(03)}, {STEP(04)}, {STEP(05)}, {STEP(06)}, {STEP(07)}};

/* ---- measuring ---- */

/* Blocks of a kernel that a multiprocessor holds. */
static int most_blocks(const void *kernel)
{
    int blocks;

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, BLOCK, 0));
    return blocks;
}

/* Ends the program if the last reduction's result is wrong. */
static void verify(const struct one_input *on, const char *name, int blocks)
{
    elem_t result = job_result(&on->job);

    if (verdict_of(result, &on->ref, on->job.n, on->opt.uniform).right)
        return;
    fprintf(stderr, "%s: %s with %d blocks per multiprocessor: the result is WRONG\n",
            on->name.program, name, blocks);
    exit(STATUS_WRONG);
}

/* Verifies and times a reduction, and prints its row; loads 0: as the step's header says. */
static void measure(struct one_input *on, const char *name, reduce_fn *reduce, int loads,
                    int blocks)
{
    const struct options *opt = &on->opt;

    on->job.reduce = reduce;
    backend_poison(&on->job);
    job_run(&on->job);
    verify(on, name, blocks);
    struct timing t = backend_time(&on->job, opt->reps, opt->hot, on->device.l2_bytes);
    verify(on, name, blocks);
    printf("%s,", name);
    if (loads > 0)
        printf("%d", loads);
    printf(",%d,%d,%d,%zu,", blocks, BLOCK, on->device.multiprocessors, on->job.n);
    if (t.reps > 0)
        printf("%.6f,%.6f,%.6f,%.6g\n", t.median_ms, t.min_ms, t.max_ms,
               (double)on->job.n * sizeof(elem_t) / t.median_ms / 1e6);
    else
        printf(",,,\n");
}

static void measure_reader(struct one_input *on, const struct reader *reader)
{
    int most = most_blocks((const void *)reader->kernel), last = 0;

    for (int blocks = 1; last < most && blocks <= 8; blocks *= 2) {
        last = blocks < most ? blocks : most;
        launch.kernel = reader->kernel;
        launch.blocks = (unsigned)(last * on->device.multiprocessors);
        measure(on, "reader", reduce, reader->loads, last);
    }
}

int main(int argc, char **argv)
{
    struct one_input on = one_input_new(argc, argv, __FILE__, 1);

    one_input_take(&on, on.opt.n);
    printf("# peak_gb_per_s: %.1f\n", on.device.peak_gb_per_s);
    printf("name,loads,blocks,threads,multiprocessors,n,median_ms,min_ms,max_ms,gb_per_s\n");
    for (const struct reader &reader : readers)
        measure_reader(&on, &reader);
    for (const struct step &step : steps)
        measure(&on, step.number, step.reduce, 0, most_blocks(step.kernel));
    one_input_free(&on);
    return STATUS_OK;
}
