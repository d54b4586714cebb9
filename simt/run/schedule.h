/* Which lane of a block runs next.
 *
 * A lane runs until it waits or ends, and then switches straight to the next that is ready. When
 * none is, control returns to whoever called schedule_run: either all have ended, or those left
 * wait for something that cannot come, or the block rests. */
#pragma once

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

/* Switches to that lane, which may be another block's. */
void schedule_switch(struct lane *self, struct lane *next);

/* When all lanes of the warp wait: lets those go on that stand at __activemask; true if any did. */
bool schedule_converge(struct block *block, unsigned warp);

/* A number by chance, of the block's own. */
unsigned schedule_random(struct block *block);

/* Lets all other ready lanes run before the running one goes on. */
void schedule_yield(struct lane *self);

/* ---- lanes that poll (poll.c) ---- */

/* Yields, for a lane that waits for others in a loop: it has looked at memory, and found nothing
 * new. When all lanes that could run have done so and changed nothing, the block rests. */
void schedule_poll(struct lane *self);

/* The stack of a lane that polls shows whether it repeats itself (block_repeats): nothing of ours
 * may differ there from turn to turn, so this wipes out what earlier calls have left below. */
void schedule_wipe_stack(void);

/* The running lane has looked at this word, found nothing new, and may look again: as far as others
 * know it polls the word from now on, until it does something else. Only where fences are used:
 * elsewhere nobody asks what a poller has seen. */
void schedule_looks_at(struct lane *self, const void *word);
void schedule_polls_no_more(struct lane *self);

/* The running lane has changed the word: those that poll it, also of other blocks, look before it
 * goes on, so that they leave at the first value that lets them. Each has a turn, which ends when
 * it has looked or has to wait. That only changes who runs when: whether anybody gets any further
 * is not judged by it. So often in a launch, which schedule_launch_begins begins. */
void schedule_show(struct lane *self, const void *word);
void schedule_launch_begins(void);

/* Those for whom the others look now, the last first, by their `shows`. */
extern struct lane *schedule_showing;

/* The running lane has looked at a word. If that was all that it had its turn for, the turn ends,
 * and true is returned when it has the next one. */
bool schedule_has_looked(struct lane *self);

/* The running lane has done what others can see. Now and then it is overtaken by other lanes and,
 * so often in a launch, by other blocks. */
void schedule_overtake(struct lane *self);

/* Has the block rest: it was disturbed. */
void schedule_rest(struct lane *self);

/* The block has got further: its patience begins anew. A block that gets no further for too long
 * is disturbed, so that others have their turn. This is counted in work, so that the same happens
 * on a busy computer as on an idle one: each time that a lane stops counts, and a log that is full
 * WORK_OF_LOG times as much. by_barrier: all of its threads have come to one, of which none has
 * ended. */
enum { WORK_OF_LOG = 64 };
void schedule_progress(struct block *block, bool by_barrier);

/* Do kernels find shared memory there? */
bool schedule_is_shared(const void *p);

/* The block's shared memory comes to where kernels find it, and that of the one which was there
 * goes, unless it has ended. */
void schedule_load(struct block *block);
