/* Which lane of a block runs next.
 *
 * A lane runs until it waits or ends, and then switches straight to the next that is ready. When
 * none is, control returns to whoever called schedule_run: either all have ended, or those left
 * wait for something that cannot come, or the block rests. */
#ifndef SIMT_SCHEDULE_H
#define SIMT_SCHEDULE_H

#include "run/lane.h"

/* Runs the block's lanes, from its first ready one on, or where it rested, until none can run any
 * more or it rests (again). */
void schedule_run(struct block *block);

/* Takes the running lane off until somebody makes it ready again, and runs others meanwhile. pc:
 * where it waits, for reports. */
void schedule_wait(struct lane *self, enum wait why, const void *pc);

/* The two halves of that, for who has something to do in between. */
void schedule_stop(struct lane *self, enum wait why, const void *pc);
void schedule_next(struct lane *self);

/* Lets all other ready lanes run before the running one goes on. */
void schedule_yield(struct lane *self);

/* The same for a lane that waits for others in a loop: it has looked at memory, and found nothing
 * new. When all lanes that could run have done so and changed nothing, the block rests. */
void schedule_poll(struct lane *self);

/* Has the block rest: it was disturbed. */
void schedule_rest(struct lane *self);

#endif
