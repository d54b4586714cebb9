/* Which lane of a block runs next.
 *
 * A lane runs until it waits or ends, and then switches straight to the next that is ready. When
 * none is, control returns to whoever called schedule_run: either all have ended, or those left
 * wait for something that cannot come. */
#ifndef SIMT_SCHEDULE_H
#define SIMT_SCHEDULE_H

#include "run/lane.h"

/* Runs the block's lanes, from its first ready one on, until none can run any more. */
void schedule_run(struct block *block);

/* Takes the running lane off until somebody makes it ready again, and runs others meanwhile. pc:
 * where it waits, for reports. */
void schedule_wait(struct lane *self, enum wait why, const void *pc);

/* The two halves of that, for who has something to do in between. */
void schedule_stop(struct lane *self, enum wait why, const void *pc);
void schedule_next(struct lane *self);

/* Lets all other ready lanes run before the running one goes on. */
void schedule_yield(struct lane *self);

/* The running lane is about to let others run without being done with anything. After two minutes
 * (SIMT_WATCHDOG, in seconds; 0: never) in which no lane of the block ended or passed a barrier,
 * the program ends with a report. */
void schedule_watchdog(struct lane *self);

#endif
