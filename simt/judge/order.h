/* Who of a block comes before whom: what __syncthreads and __syncwarp order. Pure.
 *
 * Every warp has a clock; an access is stamped with its warp's. __syncwarp sets the clock forward
 * and notes, for each lane of its group, up to which stamp the accesses of each other lane are now
 * ordered before its own. __syncthreads sets all clocks to one new value: what has an older stamp
 * is ordered before everything that follows. */
#ifndef SIMT_ORDER_H
#define SIMT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDER_LANES = 32, ORDER_WARPS = 32 };

/* A __syncwarp whose lanes stand at several places of the program comes as several events, the
 * first of which joins the whole group: those that are still to come are awaited. */
struct order_group {
    uint32_t mask, awaited;
};

struct order {
    uint32_t barrier,
        latest; /* the clocks' value after the last __syncthreads; the latest of all */
    uint32_t clock[ORDER_WARPS];
    /* seen[w][j][i]: accesses of lane i of warp w with a smaller stamp are before lane j's */
    uint32_t seen[ORDER_WARPS][ORDER_LANES][ORDER_LANES];
    bool used[ORDER_WARPS]; /* has seen been written since the block began? */
    struct order_group group[ORDER_WARPS][ORDER_LANES];
    unsigned groups[ORDER_WARPS];
};

void order_block_begin(struct order *order);
void order_barrier(struct order *order);

/* The stamp of an access that the warp makes now. */
static inline uint32_t order_now(const struct order *order, unsigned warp)
{
    return order->clock[warp] > order->barrier ? order->clock[warp] : order->barrier;
}

/* Lanes of a warp came to a __syncwarp that names the lanes of mask. True when that orders all of
 * mask now, false when they are the rest of a group that was ordered before. */
bool order_syncwarp(struct order *order, unsigned warp, uint32_t lanes, uint32_t mask);

/* Of `lanes` of the warp, which made an access stamped `time`: those that it is not ordered before
 * what `lane` does now, lane itself left out. */
uint32_t order_unordered(const struct order *order, unsigned warp, uint32_t lanes, uint32_t time,
                         unsigned lane);

#endif
