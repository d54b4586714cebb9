/* Shapes: what single-pass would take with each of its shapes, at each n; and what no shape can do
 * without.
 *
 * All in one process, on one input: for each n every candidate that fits runs in turn, 20 times,
 * and that five times over, since a few percent are to be told apart. A repetition is timed as the
 * harness does it (common/timing.h). Prints a CSV row each; of the mean of several processes
 * table.py makes single-pass' tables.
 *
 * What no shape can do without: a launch (`launch`), one trip to memory (`trip`: each thread loads
 * once, and nothing waits for it), and a second one between the multiprocessors, by an atomic whose
 * answer is waited for (`atomic`) or by a cluster's barrier (`barrier`). */
#define SHAPES "../../bench/shapes/candidates.h"
#define main   single_pass_main
#include "../../detours/single-pass/main.cu"
#undef main

#include <stdio.h>
#include <stdlib.h>

#include "../one_input.h"

extern "C" {
#include "backend.h"
#include "kernels.h"
#include "timing.h"
#include "verdict.h"
}

enum { ROUNDS = 5, REPS = 20, WARM_UP = 1000, MOST_ROWS = 128 };

/* ---- what no shape can do without ---- */

__global__ void only_launch(const struct pack *, elem_t *)
{
}

/* It never stores, since no element is so large, but the compiler cannot know. */
static __device__ elem_t one_load(const struct pack *packs, elem_t *out)
{
    elem_t sum = pack_sum(&packs[blockIdx.x * blockDim.x + threadIdx.x]);

    if (sum > 1 << 30)
        *out = sum;
    return sum;
}

__global__ void one_trip(const struct pack *packs, elem_t *out)
{
    one_load(packs, out);
}

__global__ void one_atomic(const struct pack *packs, elem_t *out)
{
    bool large = one_load(packs, out) > 1 << 20;

    if (threadIdx.x == 0 && atomicAdd(&handed_in, large) == ~0ull)
        *out = 1;
}

#ifndef SIMT
__global__ void IN_CLUSTERS(8) one_barrier(const struct pack *packs, elem_t *out)
{
#if __CUDA_ARCH__ >= 900
    one_load(packs, out);
    cooperative_groups::this_cluster().sync();
#else
    __trap();
#endif
}
#endif

typedef void least_fn(const struct pack *packs, elem_t *out);

static const struct least {
    const char *name;
    least_fn *kernel;
    unsigned blocks; /* 0: one per multiprocessor */
    unsigned threads;
} leasts[] = {
    {"launch", only_launch, 1, 32},  {"launch", only_launch, 0, 256},  {"trip", one_trip, 1, 32},
    {"trip", one_trip, 1, 1024},     {"trip", one_trip, 0, 32},        {"trip", one_trip, 0, 256},
    {"atomic", one_atomic, 0, 32},   {"atomic", one_atomic, 0, 256},
#ifndef SIMT
    {"barrier", one_barrier, 8, 32}, {"barrier", one_barrier, 8, 512},
#endif
};

/* ---- a row: what is run, and its times ---- */

struct row {
    const struct shape *shape; /* or */
    least_fn *kernel;
    const char *way;
    size_t n, blocks;
    unsigned threads, loads;
    double ms[ROUNDS * REPS], median_ms;
    int reps;
};

struct bench {
    struct one_input on;
    struct flush flush;
    cudaEvent_t start, end;
    struct row rows[MOST_ROWS];
    int count;
};

static const char *const WAYS[] = {"group", "ticket", "wait"};

static void run(const struct bench *bench, const struct row *row)
{
    const struct job *job = &bench->on.job;

    if (row->shape) {
        launch(row->shape, row->blocks, job->in, job->out, job->n);
    } else {
        row->kernel<<<row->blocks, row->threads>>>((const struct pack *)job->in, job->out);
        CHECK(cudaGetLastError());
    }
}

static void verify(const struct bench *bench, const struct row *row)
{
    const struct job *job = &bench->on.job;

    if (!row->shape || verdict_of(job_result(job), &bench->on.ref, job->n, false).right)
        return;
    fprintf(stderr, "%s: n = %zu, %s of %zu blocks of %u with %u loads: the result is WRONG\n",
            bench->on.name.program, row->n, row->way, row->blocks, row->threads, row->loads);
    exit(STATUS_WRONG);
}

#ifdef SIMT /* which has no clock */

static void open_clock(struct bench *)
{
}
static void time_rows(struct bench *)
{
}

#else

static void open_clock(struct bench *bench)
{
    bench->flush = flush_new(bench->on.device.l2_bytes);
    CHECK(cudaEventCreate(&bench->start));
    CHECK(cudaEventCreate(&bench->end));
    for (int i = 0; i < WARM_UP; i++)
        flush_enqueue(&bench->flush);
}

static double time_once(const struct bench *bench, const struct row *row)
{
    float ms;

    flush_enqueue(&bench->flush);
    CHECK(cudaEventRecord(bench->start, 0));
    run(bench, row);
    CHECK(cudaEventRecord(bench->end, 0));
    CHECK(cudaEventSynchronize(bench->end));
    CHECK(cudaEventElapsedTime(&ms, bench->start, bench->end));
    return ms;
}

static void time_rows(struct bench *bench)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int r = 0; r < bench->count; r++)
            for (int i = 0; i < REPS; i++)
                bench->rows[r].ms[bench->rows[r].reps++] = time_once(bench, &bench->rows[r]);
    for (int r = 0; r < bench->count; r++)
        bench->rows[r].median_ms = timing_median(bench->rows[r].ms, ROUNDS * REPS);
}

#endif

static void print(const struct row *row)
{
    printf(ELEM_NAME ",%zu,%s,%zu,%u,%u,", row->n, row->way, row->blocks, row->threads, row->loads);
    if (row->reps > 0)
        printf("%.6f,%.6f\n", row->median_ms, row->ms[0]); /* the median sorts */
    else
        printf(",\n");
}

/* Verifies and times all rows, in turn, with the first n elements. */
static void measure(struct bench *bench, size_t n)
{
    one_input_take(&bench->on, n);
    for (int r = 0; r < bench->count; r++) {
        backend_poison(&bench->on.job);
        run(bench, &bench->rows[r]);
        verify(bench, &bench->rows[r]);
    }
    time_rows(bench);
    for (int r = 0; r < bench->count; r++)
        print(&bench->rows[r]);
}

/* Has it room for n elements, and work for all of its threads? */
static bool fits(const struct shape *shape, size_t n)
{
    size_t at_once = shape->way == GROUP ? shape->most : PACK * shape->threads * shape->loads;

    return shape->most >= n && at_once / 8 <= n && (shape->way == GROUP || n > at_once) &&
           (shape->way == GROUP || (shape->way == TICKET) == ELEM_IS_INT) && is_possible(shape);
}

static void measure_shapes(struct bench *bench, size_t n)
{
    bench->count = 0;
    for (unsigned i = 0; i < SHAPE_COUNT; i++) {
        const struct shape *shape = &shapes[i];
        if (!fits(shape, n))
            continue;
        size_t blocks = blocks_for(shape, n, resident_blocks(shape));
        bench->rows[bench->count++] = (struct row){
            shape, NULL, WAYS[shape->way], n, blocks, shape->threads, shape->loads, {}, 0, 0};
    }
    measure(bench, n);
}

static void measure_leasts(struct bench *bench)
{
    bench->count = 0;
    for (const struct least &least : leasts) {
        size_t blocks = least.blocks ? least.blocks : (size_t)bench->on.device.multiprocessors;
        bench->rows[bench->count++] = (struct row){
            NULL, least.kernel, least.name, 0, blocks, least.threads, 1, {}, 0, 0};
    }
    measure(bench, bench->on.opt.n);
}

int main(int argc, char **argv)
{
    static struct bench bench;

    bench.on = one_input_new(argc, argv, __FILE__, 1 << 20);
    bench.on.job.reduce = reduce;
    open_clock(&bench);
    printf("type,n,way,blocks,threads,loads,median_ms,min_ms\n");
    measure_leasts(&bench);
    for (size_t n = 1 << 10; n <= bench.on.opt.n; n *= n < 1 << 24 ? 2 : 4)
        measure_shapes(&bench, n);
    one_input_free(&bench.on);
    return STATUS_OK;
}
