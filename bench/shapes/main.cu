/* Shapes: what single-pass would take with each of its shapes, at each n; and what no shape can do
 * without.
 *
 * All in one process, on one input: for each n every candidate that fits, one after the other.
 * Prints a CSV row each; of the mean of several processes table.py makes single-pass' tables.
 *
 * What no shape can do without: a launch (`launch`), one trip to memory (`trip`: each thread loads
 * once, and nothing waits for it), and a second one between the multiprocessors, by an atomic whose
 * answer is waited for (`atomic`) or by a cluster's barrier (`barrier`). */
#define SHAPES "../../bench/shapes/candidates.h"
#define main   single_pass_main
#include "../../detours/single-pass/main.cu"
#undef main

#include "../one_input.h"

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

/* What is launched; a reduction has no room for it in its arguments. */
static struct {
    const struct shape *shape;
    size_t blocks;
} now;

static void launch_now(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    launch(now.shape, now.blocks, in, out, n);
}

/* Prints its row; n: as the row has it, 0 where there is no result. */
static void measure(const struct shape *shape, const char *way, size_t blocks, size_t n)
{
    now = {shape, blocks};
    struct timing t = n > 0 ? verify_and_time() : time_now();
    printf(ELEM_NAME ",%zu,%s,%zu,%u,%u,%.6f,%.6f\n", n, way, blocks, shape->threads, shape->loads,
           t.median_ms, t.min_ms);
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

    begin(argc, argv, __FILE__, 1 << 20, launch_now);
    printf("type,n,way,blocks,threads,loads,median_ms,min_ms\n");
    for (const struct least &least : leasts)
        measure(&least.shape, least.name,
                least.shape.blocks ? least.shape.blocks : (size_t)device.multiprocessors, 0);
    for (size_t n = 1 << 10; n <= options.n; n *= n < 1 << 24 ? 2 : 4) {
        take_elements(n);
        for (const struct shape &shape : shapes)
            if (fits(&shape, n))
                measure(&shape, ways[shape.way], blocks_for(&shape, n, resident_blocks(&shape)), n);
    }
    return STATUS_OK;
}
