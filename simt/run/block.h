/* Inside the CPU backend: a block of CUDA threads and the scheduler that runs it.
 *
 * Each OS thread that runs blocks owns one struct block and reuses it for one CUDA block after the
 * other. Every CUDA thread ("lane" of its warp) is a fiber. Exactly one fiber of a block runs at a
 * time, until it waits (barrier, warp operation) or ends; then it picks the next ready lane itself
 * and switches straight to it. When no lane is ready, control returns to block_run: either all have
 * ended, or those left wait for something that cannot come. */
#ifndef SIMT_BLOCK_H
#define SIMT_BLOCK_H

#include "run/fiber.h"
#include "simt_device.h"
#include "watch/trace.h"

#include <stdbool.h>
#include <time.h>

enum { WARP_SIZE = 32, MAX_WARPS = 32, MAX_LANES = WARP_SIZE * MAX_WARPS };

/* One launch, shared by all OS threads that run its blocks; read only. */
struct launch {
    struct simt_site site;
    dim3 grid, block;
    unsigned threads; /* per block */
    unsigned number;  /* 1 for the program's first launch */
    unsigned order;   /* seed that shuffles blocks and lanes; 0: as numbered */
    size_t shared;
    void (*entry)(void *);
    void *args;
};

enum wait { WAIT_NOTHING, WAIT_BARRIER, WAIT_WARP, WAIT_CONVERGE, WAIT_LOG };

/* One CUDA thread. What every switch and every hook needs comes first, in two cache lines: a block
 * of 256 threads has more of these than fit in the first-level cache. */
struct lane {
    fiber_t fiber;
    struct block *block;
    const void *pc; /* where it waits: the instruction after the call in the kernel */
    unsigned index; /* in the block: warp index / 32, lane index % 32 */
    enum wait wait;
    struct trace trace;
    uint3 thread_idx;
    bool judged; /* it has ended, and observe_barrier has looked at where */
    /* the warp operation it waits in, and what that gave */
    enum simt_warp_op op;
    unsigned mask;
    int source, width;
    uint64_t value, result;
} __attribute__((aligned(64)));

/* Lanes of one warp as bit masks. A group is a warp operation in progress: the lanes that have
 * come so far with the same operation and mask. */
struct warp {
    unsigned alive, ready;
    int groups;
    struct {
        enum simt_warp_op op;
        unsigned mask, arrived;
    } group[WARP_SIZE];
};

struct block {
    const struct launch *launch;
    uint3 index;
    struct observer *observer; /* what looks at its logs; NULL: nothing (observe.h) */
    fiber_t scheduler;         /* block_run itself, while a lane runs */
    struct fiber_stacks stacks;
    unsigned warps, alive;
    uint64_t random; /* state of the generator that shuffles lanes; 0: they run as numbered */
    bool diverged;   /* its threads have met at different barriers */
    unsigned at_barrier, votes; /* the barrier in progress: how many have come, */
    const struct lane *first_at_barrier, *elsewhere_at_barrier; /* who first, who to another pc */
    unsigned barrier_votes, barrier_lanes;                      /* what the last one gave */
    /* the watchdog: a block whose lanes only ever wait in loops of their own */
    uint64_t progress, progress_seen;
    unsigned pauses;
    time_t still_since;
    struct warp warp[MAX_WARPS];
    struct lane lane[MAX_LANES + 2]; /* two more, so that block.c may look ahead */
};

/* Returns NULL when memory is short. The caller frees with block_free. */
struct block *block_new(void);
void block_free(struct block *block);

/* Runs one block of the launch to its end. A deadlock is reported and ends the program, status 4.
 */
void block_run(struct block *block, const struct launch *launch, uint3 index);

/* Linear index of the block in its grid. */
unsigned block_number(const struct block *block);

/* The CUDA thread that runs on this OS thread, NULL outside kernels. Here, because the hooks ask
 * for every access. */
extern __thread struct lane *simt_current_lane;

static inline struct lane *block_current_lane(void)
{
    return simt_current_lane;
}

/* The running lane is about to let others run without being done with anything. After two minutes
 * (SIMT_WATCHDOG, in seconds; 0: never) in which no lane of the block ended or passed a barrier,
 * the program ends with a report. */
void block_watch(struct block *block);

/* Takes the running lane off until somebody makes it ready again, or (block_yield) behind all
 * others that are ready. */
void block_wait(struct lane *self, enum wait why, const void *pc);
void block_yield(struct lane *self);

/* warp.c: finishes every operation of the warp whose last lane has come or ended. */
void warp_lane_ended(struct block *block, struct warp *warp);
/* When all lanes of the warp wait: lets those go on that stand at __activemask. True if any did. */
bool warp_converge(struct block *block, unsigned warp);

/* Pure: results[i] of a warp operation for every lane of arrived, from their values and, for
 * shuffles, sources and widths. Lanes outside arrived are neither read nor written; a shuffle that
 * reads such a lane gets its own value. */
void warp_compute(enum simt_warp_op op, unsigned arrived, const uint64_t values[WARP_SIZE],
                  const int sources[WARP_SIZE], const int widths[WARP_SIZE],
                  uint64_t results[WARP_SIZE]);

#endif
