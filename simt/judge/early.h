/* A launch that may begin before the one before it has ended (Guide, "Programmatic Dependent Launch
 * and Synchronization") touches what that one touches only when it has waited for its end: the
 * thread itself, one of its warp before a warp operation, or one of its block before a barrier. */
#ifndef SIMT_EARLY_H
#define SIMT_EARLY_H

#include "judge/race.h"

/* Of one place (run/pool.h); all zero at first. */
struct early {
    const struct block *block;
    unsigned waited[MAX_WARPS]; /* lanes that have waited, or go behind one that has */
};

void early_block_begin(struct early *early, const struct block *block);

/* A thread waits for the launch before, or comes to a fence, behind which order may come from a
 * block that has; lanes of a warp meet at an operation; all threads of the block meet. */
void early_wait(struct early *early, unsigned thread);
void early_meet(struct early *early, unsigned warp, unsigned lanes);
void early_barrier(struct early *early);

/* An access to global memory: a finding where it meets the launch before. */
void early_access(const struct early *early, const struct touch *touch);

#endif
