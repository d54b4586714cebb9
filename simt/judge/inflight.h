/* What the host may not touch yet: memory that kernels, copies and fills use that it has not waited
 * for since (run/stream.h). Told leniently: where the host reads by a volatile access what one of
 * them writes, it counts as having waited. */
#ifndef SIMT_INFLIGHT_H
#define SIMT_INFLIGHT_H

#include "judge/race.h"
#include "run/stream.h"

#include <stdint.h>

/* A launch has ended, or the host has asked for a copy or a fill that may still run. */
void inflight_launch(const struct launch *launch);
void inflight_transfer(const struct transfer *transfer);

/* The host is about to touch size bytes at address, by a volatile access (polls) or any other. pc:
 * where. */
void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* ---- dependent launches ---- */

/* A launch that may begin before the one before it has ended (Guide, "Programmatic Dependent Launch
 * and Synchronization") touches what that one touches only when it has waited for its end: the
 * thread itself, one of its warp before a warp operation, or one of its block before a barrier. */
/* Of one place (run/block.h); all zero at first. */
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
