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

#include "run/lane.h"

/* Runs all blocks and returns when they have ended. One call at a time. at_once: how many the
 * device holds. */
void pool_run(const struct launch *launch, size_t at_once);

/* ---- the watchdog ----
 *
 * A block that got no further for a while is made to rest at its next hook or, where it comes to
 * none, where it is. After 5 seconds of the processor's time in which no thread of a launch has
 * ended there is something to be told as soon as it rests, and after SIMT_WATCHDOG seconds (60; 0:
 * never), at SIGINT and at SIGTERM, unless the program handles these itself. */

void watchdog_begin(void);
void watchdog_end(void);

/* What there is to be told of the launch, once: the first three as in struct stall. */
struct watchdog_call {
    int kind;
    long seconds;
    int signal;
    bool any;
};

struct watchdog_call watchdog_take(void);

/* Dies of the signal that came, as without the watchdog. */
void watchdog_die(void);

/* Some milliseconds have passed since this was false. */
extern volatile bool watchdog_ticked;

#endif
