/* Answers questions by replaying a launch's synchronisation. Pure.
 *
 * The replay carries along, for some earlier accesses at a time, who knows of them; handover.h has
 * the rules by which they get to know. */
#ifndef SIMT_REPLAY_H
#define SIMT_REPLAY_H

#include "judge/history.h"
#include "judge/question.h"

struct replay;

/* Tables for the threads, blocks and words that the history names; its synchronisation is sorted,
 * and gets its places in these tables. NULL: no memory. */
struct replay *replay_new(struct history *history);
void replay_free(struct replay *replay);

/* The threads of all blocks that the history names, without gaps: how many there are, and which one
 * made an access. That of a synchronisation is its `first` + lane. */
uint32_t replay_threads(const struct replay *replay);
uint32_t replay_thread(const struct replay *replay, const struct past *past, unsigned lane);

/* Answers all questions, and sorts them. False: no memory, or it takes too long; what is not
 * answered then counts as ordered. */
bool replay_answer(struct replay *replay, struct questions *questions);

#endif
