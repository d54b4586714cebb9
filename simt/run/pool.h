/* The OS threads that run a launch's blocks.
 *
 * They are started once and sleep between launches. One begins a launch; when that has done enough
 * (schedule.h), or has taken long, others join, as many as the launch is given. Whoever is free
 * takes the next block, in order, so that a block which waits for an earlier one always finds it
 * running or done. A block whose threads only wait (block.h: it rests) hands its turn to another:
 * to one that rests, too, or to one that has not begun, for which another OS thread is started if
 * need be, since a block's __shared__ variables belong to its OS thread. So a grid that waits for
 * itself runs as on a GPU, up to the blocks that the simulated device holds at once; that, and
 * blocks that can never go on, end the program through the observer. */
#ifndef SIMT_POOL_H
#define SIMT_POOL_H

#include "run/observer.h"

struct work {
    const struct launch *launch;
    size_t blocks, at_once; /* at_once: how many the device holds */
    int threads; /* OS threads that may run at a time, when others have joined the first */
    uint3 (*block)(const struct launch *launch, size_t i); /* which one to run as number i */
    /* How far it is: at the begin, when time has passed and at the end; one call at a time. */
    void (*show)(const struct launch *launch, size_t done, size_t blocks);
};

/* Runs all blocks and returns when they have ended. One call at a time. The first OS thread that
 * ever calls runs blocks itself; for others those of the pool do. */
void pool_run(const struct work *work);

/* ---- for the watchdog, on its own OS thread ---- */

/* The launch that runs, by its number, 0 when none does; threads that have ended so far. */
struct pool_state {
    unsigned launch;
    uint64_t ended;
};

struct pool_state pool_state(void);

/* A tick has passed: blocks that got no further for several shall rest. */
void pool_tick(void);

/* Describes where the launch stands to the observer. For other kinds than STALL_SLOW the blocks are
 * stopped first, where that is possible; then it does not return, unless the launch has ended
 * meanwhile. */
void pool_stall(int kind, long seconds, int signal_number);

#endif
