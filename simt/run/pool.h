/* A launch's blocks, by turns.
 *
 * All run on the OS thread that launches, in order: so a block that waits for an earlier one always
 * finds it done, or at rest. A block whose threads only wait (block.h: it rests) hands its turn to
 * another: to one that rests, too, or to one that has not begun; the bytes of their __shared__
 * variables change places. So a grid that waits for itself runs as on a GPU, up to the blocks that
 * the simulated device holds at once; that, and blocks that can never go on, end the program
 * through the observer. */
#ifndef SIMT_POOL_H
#define SIMT_POOL_H

#include "run/observer.h"

struct work {
    const struct launch *launch;
    size_t blocks, at_once;                                /* at_once: how many the device holds */
    uint3 (*block)(const struct launch *launch, size_t i); /* which one to run as number i */
    /* How far it is: at the begin, when time has passed and at the end; one call at a time. */
    void (*show)(const struct launch *launch, size_t done, size_t blocks);
};

/* Runs all blocks and returns when they have ended. One call at a time. */
void pool_run(const struct work *work);

/* ---- for the watchdog, on its own OS thread ---- */

/* The launch that runs, by its number, 0 when none does; threads that have ended so far. */
struct pool_state {
    unsigned launch;
    uint64_t ended;
};

struct pool_state pool_state(void);

/* A tick has passed: a block that got no further for several shall rest. */
void pool_tick(void);

/* Describes where the launch stands to the observer. For other kinds than STALL_SLOW the blocks are
 * stopped first, where that is possible; then it does not return, unless the launch has ended
 * meanwhile. */
void pool_stall(int kind, long seconds, int signal_number);

/* Starts the watchdog, once; calling again does nothing. After 5 seconds in which no thread of a
 * launch has ended the observer is told where they are; after SIMT_WATCHDOG seconds (60; 0: never)
 * the launch is stopped, and so it is at SIGINT and SIGTERM, unless the program handles these
 * itself. */
void watchdog_start(void);

#endif
