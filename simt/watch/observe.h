/* What becomes of the lanes' logs: they are merged warp by warp, and every warp-level event goes to
 * the counters (count.h), to the trace if one is wanted (record.h), and to the checks (check.h,
 * race.h). */
#ifndef SIMT_OBSERVE_H
#define SIMT_OBSERVE_H

#include "run/block.h"
#include "watch/count.h"

/* Settings: SIMT_COUNTERS, SIMT_CHECKS and SIMT_TRACE, unless the harness says otherwise. What is
 * counted is also recorded when a trace was asked for (record.h). */
struct observe_settings {
    bool counters, checks;
};

struct observe_settings *observe_settings(void);

/* An OS thread begins a block; a launch has ended on all OS threads (called by the launching one),
 * and what was counted becomes one of counted_launches. */
void observe_launch_end(const struct launch *launch);
void observe_block_begin(struct block *block);
void observe_block_end(struct block *block);

/* Merges what the lanes of a warp have logged, once none of them can run on. Lanes that waited for
 * room in their log become ready. */
void observe_warp(struct block *block, unsigned warp);

/* The running lane's log is full: it waits until it has been merged. */
void observe_full_log(struct lane *lane);

/* All living threads of the block have met at a barrier and go on. */
void observe_barrier(struct block *block);

/* The host, in a file compiled by simtcc, touches size bytes at address. */
void observe_host_access(uintptr_t address, unsigned size, bool store, const void *pc);

/* A launch and what was counted in it. */
struct counted_launch {
    const char *kernel;
    dim3 grid, block;
    struct count_table table;
};

/* All counted launches so far, first to last. They belong to the module. */
const struct counted_launch *counted_launches(size_t *count);

#endif
