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

#include "../one_input.h"

extern "C" {
#include "kernels.h"
}

enum { ROUNDS = 5, REPS = 20, WARM_UP = 1000, MOST_ROWS = 128 };

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

static const struct least {
    const char *name;
    struct shape shape; /* blocks 0: one per multiprocessor */
} leasts[] = {
    {"launch", {0, GROUP, 1, 32, 1, only_launch}},  {"launch", {0, GROUP, 0, 256, 1, only_launch}},
    {"trip", {0, GROUP, 1, 32, 1, one_trip}},       {"trip", {0, GROUP, 1, 1024, 1, one_trip}},
    {"trip", {0, GROUP, 0, 32, 1, one_trip}},       {"trip", {0, GROUP, 0, 256, 1, one_trip}},
    {"atomic", {0, GROUP, 0, 32, 1, one_atomic}},   {"atomic", {0, GROUP, 0, 256, 1, one_atomic}},
#ifndef SIMT
    {"barrier", {0, GROUP, 8, 32, 1, one_barrier}}, {"barrier", {0, GROUP, 8, 512, 1, one_barrier}},
#endif
};

/* ---- rows ---- */

struct row {
    const struct shape *shape;
    const char *way;
    size_t n, blocks; /* n 0: there is no result */
    double ms[ROUNDS * REPS];
};

static struct row rows[MOST_ROWS];
static int count;

static void add_row(const struct shape *shape, const char *way, size_t n, size_t blocks)
{
    rows[count++] = (struct row){shape, way, n, blocks, {}};
}

static void run(const struct row *row, const struct job *job)
{
    launch(row->shape, row->blocks, job->in, job->out, job->n);
}

static void verify(const struct row *row, const struct one_input *on)
{
    char what[80];

    backend_poison(&on->job);
    run(row, &on->job);
    snprintf(what, sizeof what, "%s of %zu blocks of %u with %u loads", row->way, row->blocks,
             row->shape->threads, row->shape->loads);
    if (row->n > 0)
        one_input_verify(on, what);
}

static void print(struct row *row, bool timed)
{
    printf(ELEM_NAME ",%zu,%s,%zu,%u,%u,", row->n, row->way, row->blocks, row->shape->threads,
           row->shape->loads);
    if (!timed)
        printf(",\n");
#ifndef SIMT
    else
        printf("%.6f,%.6f\n", timing_median(row->ms, ROUNDS * REPS), row->ms[0]); /* it sorts */
#endif
}

#ifdef SIMT /* which has no clock */

static bool time_rows(const struct one_input *)
{
    return false;
}

#else

static bool time_rows(const struct one_input *on)
{
    static struct flush flush;
    static cudaEvent_t start, end;

    if (!start) {
        flush = flush_new(on->device.l2_bytes);
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&end));
        for (int i = 0; i < WARM_UP; i++)
            flush_enqueue(&flush);
    }
    for (int i = 0; i < ROUNDS * count * REPS; i++) {
        struct row *row = &rows[i / REPS % count];
        float ms;

        flush_enqueue(&flush);
        CHECK(cudaEventRecord(start, 0));
        run(row, &on->job);
        CHECK(cudaEventRecord(end, 0));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, start, end));
        row->ms[i / (REPS * count) * REPS + i % REPS] = ms;
    }
    return true;
}

#endif

/* All of them, with the first n elements. */
static void measure_rows(struct one_input *on, size_t n)
{
    one_input_take(on, n);
    for (int r = 0; r < count; r++)
        verify(&rows[r], on);
    bool timed = time_rows(on);
    for (int r = 0; r < count; r++)
        print(&rows[r], timed);
    count = 0;
}

/* Has it room for n elements, and work for all of its threads? */
static bool fits(const struct shape *shape, size_t n)
{
    size_t at_once = shape->way == GROUP ? shape->most : PACK * shape->threads * shape->loads;

    return shape->most >= n && at_once / 8 <= n && (shape->way == GROUP || n > at_once) &&
           (shape->way == GROUP || (shape->way == TICKET) == ELEM_IS_INT) && is_possible(shape);
}

int main(int argc, char **argv)
{
    static const char *const ways[] = {"group", "ticket", "wait"};
    struct one_input on = one_input_new(argc, argv, __FILE__, 1 << 20, reduce);

    printf("type,n,way,blocks,threads,loads,median_ms,min_ms\n");
    for (const struct least &least : leasts)
        add_row(&least.shape, least.name, 0,
                least.shape.blocks ? least.shape.blocks : (size_t)on.device.multiprocessors);
    measure_rows(&on, on.opt.n);
    for (size_t n = 1 << 10; n <= on.opt.n; n *= n < 1 << 24 ? 2 : 4) {
        for (const struct shape &shape : shapes)
            if (fits(&shape, n))
                add_row(&shape, ways[shape.way], n, blocks_for(&shape, n, resident_blocks(&shape)));
        measure_rows(&on, n);
    }
    return STATUS_OK;
}
