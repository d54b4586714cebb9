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

/* The same for a lane that tries in vain to take what the block of this number has. A block whose
 * lanes often do so rests, though others of them could run: to fight for a lock takes longer than
 * all that is done while it is held. It does so once; then it has to change something first. */
enum { MOST_FIGHTS = 100 };
void schedule_fight(struct lane *self, uint32_t rival);

/* The running lane has looked at this word, found nothing new, and may look again: as far as others
 * know it polls the word from now on, until it does something else. Only where fences are used:
 * elsewhere nobody asks what a poller has seen. */
void schedule_looks_at(struct lane *self, const void *word);
void schedule_polls_no_more(struct lane *self);

/* It has done so. If that was all that it had its turn for (schedule_show), the turn ends, and true
 * is returned when it has the next one. */
bool schedule_has_looked(struct lane *self);

/* The running lane has changed the word: those that poll it look before it goes on, so that they
 * leave at the first value that lets them. A poller of its own block has a turn, which ends when it
 * has looked or has to wait; a block that rests has one where a lane of it polls the word; one that
 * another OS thread runs has a moment. That only changes who runs when: whether anybody gets any
 * further is not judged by it. So often in a launch, which schedule_launch_begins begins. */
void schedule_show(struct lane *self, const void *word);
void schedule_launch_begins(bool alone);

/* A launch is begun by one OS thread. Has it done so much that others are worth while? Not if a
 * lane has polled: threads that wait for each other are best run by one. It is measured in what
 * warps did, not in time: so a run does on one OS thread what every run does there. The block in
 * which it comes true rests. When others have joined nobody asks any more. alone: none ever will.
 */
bool schedule_has_done_much(void);
void schedule_others_join(void);

/* The running lane has done what others can see. Now and then it is overtaken by other lanes and,
 * so often in a launch, by other blocks. */
void schedule_overtake(struct lane *self);

/* How many lanes poll this word, or one that shares its place in a table, and how often lanes that
 * did have looked at it. Both wrap. due: looks at its last change that are still to come. */
struct looks {
    unsigned pollers, count, due;
};
struct looks schedule_looks(const void *word);

/* Where several OS threads run: the running lane has changed the word, and lanes of other blocks
 * poll it. Until they have looked no other atomic shall change it, for which that waits: is it to?
 * Both are asked while no other atomic is under way. Not for ever: schedule_tires says that it
 * waited in vain. */
void schedule_changes(const struct lane *self, const void *word);
bool schedule_is_to_wait(const struct lane *self, const void *word);
void schedule_tires(const void *word);

/* Has the block rest: it was disturbed. */
void schedule_rest(struct lane *self);

#endif
