/* Two stores to one word: do they store the same value? That is known once the second one has been
 * made: the next event of its thread comes behind it, and before any event of another thread. */
#pragma once

#include "judge/pairs.h"

/* Do both stores go to the same bytes of the word? */
bool stores_both(const struct access *old, const struct access *now);

/* Were both made by lanes of one warp by the same instruction? */
bool stores_of_one_instruction(const struct access *old, const struct access *now);

/* The second store of the pair is about to be made: notes the pair when stores_settle is called. A
 * structure comes piece by piece. False: another pair waits for this store already. */
bool stores_wait(const struct touch *touch, const struct pair *pair);

/* The store has been made: did it change what stood there? */
void stores_settle(void);
