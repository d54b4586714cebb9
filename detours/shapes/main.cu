/* Shapes: the time of single-pass with each of its shapes, at each n, and of what no shape can do
 * without.
 *
 * Read it after single-pass, whose tables `make bench-shapes` makes of the rows that this prints:
 * all in one process, on one input, for each n every candidate that fits, one after the other.
 *
 * What no shape can do without: a launch (`launch`), one trip to memory (`trip`: each thread loads
 * once, and nothing waits for it), and a second one between the multiprocessors, by an atomic whose
 * answer is waited for (`atomic`) or by a cluster's barrier (`barrier`).
 *
 * Look at: the rows of one n, on a GPU. Which shape do you expect to be the fastest at 2^10, at
 * 2^14 and at 2^24, and how far is it from the launch and its trips? */
#define PART
#include "../single-pass/main.cu"

extern "C" { /* the harness is C */
#include "backend.h"
#include "device.h"
#include "input.h"
#include "verdict.h"
}

#include <stdio.h>
#include <stdlib.h>

// clang-format off
#define ONE(threads, loads)   ONE_BLOCK(PACK *(threads) * (loads), threads, loads)
#define OF_8(threads, loads)  CLUSTER(PACK * 8 * (threads) * (loads), 8, threads, loads)
#define OF_16(threads, loads) CLUSTER(PACK * 16 * (threads) * (loads), 16, threads, loads)
#define MANY(threads, loads)  TICKETS(SIZE_MAX, threads, loads), WAITING(SIZE_MAX, threads, loads)
#define LOADS(kind, threads)  kind(threads, 1), kind(threads, 2), kind(threads, 4)
#define ALL(kind)             LOADS(kind, 256), LOADS(kind, 512), LOADS(kind, 1024)
static const struct shape candidates[] = {ALL(ONE), ALL(OF_8), ALL(OF_16), ALL(MANY)};
// clang-format on

/* Is it right for the type, and has it room for n elements, and work for most of its threads? */
static bool fits(const struct shape *shape, size_t n)
{
    if (!is_possible(shape))
        return false;
    if (shape->way == GROUP)
        return n <= shape->most && n >= shape->most / 8;
    return (shape->way == TICKET) == ELEM_IS_INT && n > PACK * shape->threads * shape->loads;
}

/* ---- what no shape can do without: kernels as those of shapes are ---- */

__global__ void only_launch(const elem_t *, elem_t *, size_t)
{
}

/* It never stores, since no element is so large, but the compiler cannot know. */
static __device__ elem_t one_load(const elem_t *in, elem_t *out)
{
    elem_t sum = pack_sum(&((const struct pack *)in)[blockIdx.x * blockDim.x + threadIdx.x]);

    if (sum > 1 << 30)
        *out = sum;
    return sum;
}

__global__ void one_trip(const elem_t *in, elem_t *out, size_t)
{
    one_load(in, out);
}

__global__ void one_atomic(const elem_t *in, elem_t *out, size_t)
{
    bool large = one_load(in, out) > 1 << 20;

    if (threadIdx.x == 0 && atomicAdd(&handed_in, large) == ~0ull)
        *out = 1;
}

#ifndef SIMT
__global__ void IN_CLUSTERS(8) one_barrier(const elem_t *in, elem_t *out, size_t)
{
#if __CUDA_ARCH__ >= 900
    one_load(in, out);
    cooperative_groups::this_cluster().sync();
#else
    __trap();
#endif
}
#endif

/* ---- rows ---- */

static struct options options;
static struct device device;
static struct input input;
static struct reference reference; /* of job.n elements */
static struct job job;

/* What the job launches; a reduction has no room for it in its arguments. */
static struct {
    const struct shape *shape;
    size_t blocks;
} now;

static void launch_now(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    launch(now.shape, now.blocks, in, out, n);
}

static void verify(void)
{
    if (verdict_of(job_result(&job), &reference, job.n, options.uniform).right)
        return;
    fprintf(stderr, "shapes: n = %zu: the result is WRONG\n", job.n);
    exit(STATUS_WRONG);
}

/* Times it and prints its row; n: as the row has it, 0 where there is no result. */
static void measure(const struct shape &shape, const char *way, size_t n)
{
    now = {&shape, blocks_for(&shape, n, resident_blocks(&shape))};
    backend_poison(&job);
    job_run(&job);
    if (n > 0)
        verify();
    const struct conditions conditions = {
        options.hot, options.gate, device.l2_bytes, 1, {options.device}};
    struct timing t = backend_time(&job, options.reps, &conditions);
    if (n > 0)
        verify();
    printf(ELEM_NAME ",%zu,%s,%zu,%u,%u,", n, way, now.blocks, shape.threads, shape.loads);
    if (t.reps > 0)
        printf("%.6f,%.6f\n", t.median_ms, t.min_ms);
    else
        printf(",\n");
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"group", "ticket", "wait"};

    options = options_parse(argc, argv, "shapes", "shapes");
    if (options.n < 1 << 20)
        options_fail("shapes", "-n %zu: want 2^20 or more", options.n);
    device = device_open("shapes", options.device);
    job.reduce = launch_now;
    job.n = options.n;
    device_check_memory("shapes", job.n, job_bytes(&job));
    job_allocate(&job);
    input = input_new(&options);
    input_upload(&input, job.in);

    printf("type,n,way,blocks,threads,loads,median_ms,min_ms\n");
    measure({0, GROUP, 1, 32, 1, only_launch}, "launch", 0);
    measure({0, GROUP, 1, 32, 1, one_trip}, "trip", 0);
    measure({0, GROUP, (unsigned)device.multiprocessors, 32, 1, one_atomic}, "atomic", 0);
#ifndef SIMT
    const struct shape barrier = {0, GROUP, 8, 32, 1, one_barrier};
    if (is_possible(&barrier))
        measure(barrier, "barrier", 0);
#endif
    for (job.n = 1 << 10; job.n <= options.n; job.n *= job.n < 1 << 24 ? 2 : 4) {
        reference = reference_of(input.values, input.period, job.n, false);
        for (const struct shape &shape : candidates)
            if (fits(&shape, job.n))
                measure(shape, ways[shape.way], job.n);
    }
    return STATUS_OK;
}
