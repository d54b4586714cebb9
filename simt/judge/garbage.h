/* Reads of shared memory that no thread of the block has written, and of global memory that nobody
 * has written since it was allocated. An atomic reads, too; an exchange counts as a store, since
 * its result may be thrown away.
 *
 * Where the word is in a race, that is the bug to tell: so it is told when the block, or the
 * launch, has ended. */
#ifndef SIMT_GARBAGE_H
#define SIMT_GARBAGE_H

#include "judge/race.h"

/* What one place (run/block.h) keeps of the block that runs there. shared_words: how many words of
 * shared memory accesses will name. Ends the program when memory is short. */
struct garbage;
struct garbage *garbage_new(size_t shared_words);

void garbage_block_begin(struct garbage *garbage, const struct block *block);
void garbage_block_end(struct garbage *garbage, const struct race *race);

/* An access, in the order in which they are made. Had nobody written some of its bytes? */
bool garbage_access(struct garbage *garbage, const struct touch *touch);

/* The launch has ended. Before races are judged. */
void garbage_judge(const struct launch *launch);

#endif
