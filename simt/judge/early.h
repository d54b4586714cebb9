/* A launch that may begin before the one before it has ended (Guide, "Programmatic Dependent Launch
 * and Synchronization") touches what that one touches only when it has waited for its end: the
 * thread itself, one of its warp before a warp operation, or one of its block before a barrier. */
#ifndef SIMT_EARLY_H
#define SIMT_EARLY_H

#include "run/lane.h"
#include "watch/merge.h"

/* Of one place (run/pool.h); all zero at first. */
struct early {
    const struct block *block;
    unsigned waited[MAX_WARPS]; /* lanes that have waited, or go behind one that has */
};

void early_block_begin(struct early *early, const struct block *block);

/* Lanes of the warp wait for the launch before, or come to a fence, behind which order may come
 * from a block that has; they meet at a __syncwarp, or exchange values; all threads of the block
 * meet. */
void early_wait(struct early *early, const struct warp_event *event, unsigned warp);
void early_meet(struct early *early, const struct warp_event *event, unsigned warp);
void early_barrier(struct early *early);

/* A request to global memory: a finding where it meets the launch before. word[lane]: as
 * memory_word gives it. */
void early_access(const struct early *early, const struct warp_event *event, unsigned warp,
                  const size_t word[WARP_SIZE]);

#endif
