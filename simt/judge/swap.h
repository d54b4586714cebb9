/* Critical sections that could have come in the other order. Pure. */
#ifndef SIMT_SWAP_H
#define SIMT_SWAP_H

#include "judge/question.h"
#include "judge/replay.h"

/* Of these questions, which are answered: accesses that are ordered only because one section of a
 * lock came before another one (section.h) count as unordered from here on. Adds to past[]. False:
 * no memory, or not all was asked. */
bool swap_sections(struct replay *replay, struct history *history, struct questions *questions);

#endif
