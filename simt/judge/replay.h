/* Answers questions by replaying a launch's synchronisation. Pure.
 *
 * The replay carries along, for 64 earlier accesses at a time, who knows of them; handover.h has
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

/* Answers all questions, and sorts them. False: no memory. */
bool replay_answer(struct replay *replay, struct questions *questions);

#endif
