/* Runs one block: starts its lanes, holds them at __syncthreads, and ends. */
#include "run/block.h"
#include "run/end.h"
#include "run/observer.h"
#include "run/schedule.h"
#include "run/warp.h"

#include <stdlib.h>
#include <string.h>

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

/* Lets everybody go on when all living threads of the block stand at the barrier. */
static void release_barrier_if_complete(struct block *block)
{
    if (block->at_barrier == 0 || block->at_barrier < block->alive)
        return;
    simt_observer.barrier(block, block->first_at_barrier, block->elsewhere_at_barrier);
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

    simt_observer.operation(self, EVENT_SYNCTHREADS, 0, 0, 0, __builtin_return_address(0));
    self->pc = __builtin_return_address(0);
    arrive(block, self);
    block->votes += predicate != 0;
    schedule_stop(self, WAIT_BARRIER, self->pc);
    release_barrier_if_complete(block);
    schedule_next(self);
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
    schedule_stop(self, WAIT_NOTHING, NULL);
    warp_lane_ended(block, warp);
    release_barrier_if_complete(block);
    schedule_next(self);
    abort();
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
        end_fatal("no memory for the stacks of %d threads (%d KiB each)", count,
                  FIBER_STACK_BYTES / 1024);
}

static void start_lanes(struct block *block, const struct launch *launch, uint3 index)
{
    block->launch = launch;
    block->index = index;
    block->alive = launch->threads;
    block->warps = (launch->threads + WARP_SIZE - 1) / WARP_SIZE;
    block->at_barrier = block->votes = 0;
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
        lane->fiber = fiber_new(&block->stacks, (int)i, lane_run, lane);
    }
    simt_observer.block_begin(block);
}

void block_run(struct block *block, const struct launch *launch, uint3 index)
{
    start_lanes(block, launch, index);
    schedule_run(block);
    if (block->alive > 0)
        observer_fatal(&(struct fatal){.kind = FATAL_DEADLOCK, .block = block});
    simt_observer.block_end(block);
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
    schedule_yield(simt_current_lane);
}

void simt_trap(void)
{
    observer_fatal(&(struct fatal){.kind = FATAL_TRAP,
                                   .block = simt_current_lane->block,
                                   .lane = simt_current_lane,
                                   .pc = __builtin_return_address(0)});
}
