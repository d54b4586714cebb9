/* Runs one block: starts its lanes, switches between them, and holds them at __syncthreads. */
#include "run/block.h"
#include "watch/observe.h"
#include "judge/report.h"

#include <stdlib.h>
#include <string.h>

__thread struct lane *simt_current_lane;

struct block *block_new(void)
{
    struct block *block = aligned_alloc(64, sizeof *block);
    if (block)
        memset(block, 0, sizeof *block);
    return block;
}

void block_free(struct block *block)
{
    if (block)
        fiber_stacks_free(&block->stacks);
    free(block);
}

static unsigned lowest_bit(unsigned bits)
{
    return (unsigned)__builtin_ctz(bits);
}

/* Marsaglia's xorshift (2003). */
static unsigned next_random(struct block *block)
{
    block->random ^= block->random << 13;
    block->random ^= block->random >> 7;
    block->random ^= block->random << 17;
    return (unsigned)(block->random >> 32);
}

static struct lane *ready_lane(struct block *block, unsigned warp, unsigned allowed)
{
    unsigned ready = block->warp[warp].ready & allowed;

    if (!ready)
        return NULL;
    if (block->random)
        for (unsigned skip = next_random(block) % (unsigned)__builtin_popcount(ready); skip; skip--)
            ready &= ready - 1;
    return &block->lane[warp * WARP_SIZE + lowest_bit(ready)];
}

/* The next lane to run after `from` waits: one of the same warp if any is ready, since its stacks
 * are still in the cache, else the first of the warps that follow. NULL when all wait or ended. */
static struct lane *next_lane(struct block *block, unsigned from)
{
    unsigned first = from / WARP_SIZE, warp;

    if (block->random)
        first = next_random(block) % block->warps;
    warp = first;
    do {
        struct lane *lane = ready_lane(block, warp, ~0u);
        if (lane)
            return lane;
        warp = warp + 1 < block->warps ? warp + 1 : 0;
    } while (warp != first);
    for (warp = 0; warp < block->warps; warp++)
        if (warp_converge(block, warp))
            return ready_lane(block, warp, ~0u);
    return NULL;
}

/* Lanes mostly run in order, and what each needs (two lines of its struct, the top of its stack,
 * the end of its log) has left the first-level cache since its last turn: fetch the next one's
 * meanwhile. */
static void prefetch_behind(const struct lane *lane)
{
    const struct lane *next = lane + 1, *later = lane + 2;

    __builtin_prefetch(later);
    __builtin_prefetch((const char *)later + 64);
    __builtin_prefetch(next->fiber, 1);
    __builtin_prefetch((const char *)next->fiber + 64, 1);
    __builtin_prefetch((const char *)next->fiber + 128, 1);
    __builtin_prefetch(next->trace.next, 1);
}

static void switch_to(struct block *block, fiber_t *from, struct lane *next)
{
    if (next && from == &next->fiber)
        return;
    simt_current_lane = next;
    if (next)
        prefetch_behind(next);
    fiber_switch(from, next ? next->fiber : block->scheduler);
}

/* Takes the lane off. When it was the last of its warp that could run, what the warp did so far is
 * looked at, while it is still in the cache. */
static void stop(struct lane *self, enum wait why, const void *pc)
{
    struct block *block = self->block;
    struct warp *warp = &block->warp[self->index / WARP_SIZE];

    self->wait = why;
    self->pc = pc;
    warp->ready &= ~(1u << self->index % WARP_SIZE);
    if (warp->ready == 0)
        observe_warp(block, self->index / WARP_SIZE);
}

static void run_next(struct lane *self)
{
    switch_to(self->block, &self->fiber, next_lane(self->block, self->index));
}

void block_wait(struct lane *self, enum wait why, const void *pc)
{
    stop(self, why, pc);
    run_next(self);
}

static long watchdog_seconds(void)
{
    const char *text = getenv("SIMT_WATCHDOG");
    char *end;

    if (!text || !*text)
        return 120;
    long seconds = strtol(text, &end, 10);
    if (*end || seconds < 0)
        report_usage("SIMT_WATCHDOG=%s: want seconds, or 0 for no watchdog", text);
    return seconds;
}

void block_watch(struct block *block)
{
    if (++block->pauses % 1024 != 0)
        return;
    time_t now = time(NULL);
    if (block->progress != block->progress_seen || block->still_since == 0) {
        block->progress_seen = block->progress;
        block->still_since = now;
    }
    long limit = watchdog_seconds();
    if (limit > 0 && now - block->still_since > limit)
        report_livelock(block_current_lane(), limit);
}

void block_yield(struct lane *self)
{
    struct block *block = self->block;

    block_watch(block);
    unsigned warp = self->index / WARP_SIZE;
    unsigned later = self->index % WARP_SIZE == 31 ? 0 : ~0u << (self->index % WARP_SIZE + 1);
    struct lane *next = ready_lane(block, warp, later);

    for (unsigned k = 1; !next && k <= block->warps; k++)
        next = ready_lane(block, (warp + k) % block->warps, ~0u);
    switch_to(block, &self->fiber, next);
}

/* Lets everybody go on when all living threads of the block stand at the barrier. */
static void release_barrier_if_complete(struct block *block)
{
    if (block->at_barrier == 0 || block->at_barrier < block->alive)
        return;
    observe_barrier(block);
    block->barrier_votes = block->votes;
    block->barrier_lanes = block->at_barrier;
    block->at_barrier = block->votes = 0;
    block->progress++;
    for (unsigned w = 0; w < block->warps; w++)
        block->warp[w].ready = block->warp[w].alive;
}

static void arrive(struct block *block, const struct lane *lane)
{
    if (block->at_barrier++ == 0) {
        block->first_at_barrier = lane;
        block->elsewhere_at_barrier = NULL;
    } else if (lane->pc != block->first_at_barrier->pc) {
        block->elsewhere_at_barrier = lane;
    }
}

int simt_syncthreads(int predicate, int *threads)
{
    struct lane *self = simt_current_lane;
    struct block *block = self->block;

    trace_operation(self, EVENT_SYNCTHREADS, 0, 0, __builtin_return_address(0));
    self->pc = __builtin_return_address(0);
    arrive(block, self);
    block->votes += predicate != 0;
    stop(self, WAIT_BARRIER, self->pc);
    release_barrier_if_complete(block);
    run_next(self);
    if (threads)
        *threads = (int)block->barrier_lanes;
    return (int)block->barrier_votes;
}

/* Where every fiber starts. It never returns: there is nothing on its stack to return to. */
static void lane_run(void *arg)
{
    struct lane *self = arg;
    struct block *block = self->block;
    struct warp *warp = &block->warp[self->index / WARP_SIZE];
    unsigned bit = 1u << self->index % WARP_SIZE;

    block->launch->entry(block->launch->args);

    warp->alive &= ~bit;
    block->alive--;
    block->progress++;
    stop(self, WAIT_NOTHING, NULL);
    warp_lane_ended(block, warp);
    release_barrier_if_complete(block);
    run_next(self);
    abort();
}

unsigned block_number(const struct block *block)
{
    dim3 grid = block->launch->grid;
    return block->index.x + grid.x * (block->index.y + grid.y * block->index.z);
}

static uint3 thread_index(unsigned linear, dim3 size)
{
    return (uint3){linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
}

/* Stacks for as many fibers as the largest block so far. */
static void ensure_stacks(struct block *block, int count)
{
    if (block->stacks.count >= count)
        return;
    fiber_stacks_free(&block->stacks);
    if (fiber_stacks_alloc(&block->stacks, count) != 0)
        report_fatal("no memory for the stacks of %d threads (%d KiB each)", count,
                     FIBER_STACK_BYTES / 1024);
}

static void start_lanes(struct block *block, const struct launch *launch, uint3 index)
{
    block->launch = launch;
    block->index = index;
    block->alive = launch->threads;
    block->warps = (launch->threads + WARP_SIZE - 1) / WARP_SIZE;
    block->at_barrier = block->votes = 0;
    block->diverged = false;
    block->progress++;
    block->random = launch->order ? ((uint64_t)launch->order << 32 | block_number(block)) + 1 : 0;
    ensure_stacks(block, (int)launch->threads);

    for (unsigned w = 0; w < block->warps; w++) {
        unsigned left = launch->threads - w * WARP_SIZE;
        unsigned lanes = left >= WARP_SIZE ? ~0u : (1u << left) - 1;
        block->warp[w].alive = block->warp[w].ready = lanes;
        block->warp[w].groups = 0;
    }
    for (unsigned i = 0; i < launch->threads; i++) {
        struct lane *lane = &block->lane[i];
        lane->block = block;
        lane->index = i;
        lane->thread_idx = thread_index(i, launch->block);
        lane->wait = WAIT_NOTHING;
        lane->judged = false;
        lane->fiber = fiber_new(&block->stacks, (int)i, lane_run, lane);
    }
    observe_block_begin(block);
}

void block_run(struct block *block, const struct launch *launch, uint3 index)
{
    start_lanes(block, launch, index);
    switch_to(block, &block->scheduler, next_lane(block, 0));
    simt_current_lane = NULL;
    if (block->alive > 0)
        report_deadlock(block);
    observe_block_end(block);
}

uint3 simt_thread_idx(void)
{
    return simt_current_lane->thread_idx;
}

uint3 simt_block_idx(void)
{
    return simt_current_lane->block->index;
}

dim3 simt_block_dim(void)
{
    return simt_current_lane->block->launch->block;
}

dim3 simt_grid_dim(void)
{
    return simt_current_lane->block->launch->grid;
}

void simt_pause(void)
{
    block_yield(simt_current_lane);
}
