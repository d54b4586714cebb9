/* Reads of shared memory that no thread of the block has written. As in unwritten.h some accesses
 * are handed on to the race detector. */
#ifndef SIMT_GARBAGE_H
#define SIMT_GARBAGE_H

#include "judge/race.h"

/* What one place (run/pool.h) keeps of the block that runs there. shared_words: how many words of
 * shared memory accesses will name. Ends the program when memory is short. */
struct garbage;
struct garbage *garbage_new(size_t shared_words);

void garbage_block_begin(struct garbage *garbage, const struct block *block);

/* An access of lanes of a warp to shared memory. word[lane]: which word it begins in. */
void garbage_access(struct garbage *garbage, struct race *race, const struct warp_event *event,
                    unsigned warp, const size_t word[WARP_SIZE]);

/* The block has ended: what read garbage becomes a finding, but not where a race decided whether it
 * was garbage. */
void garbage_block_end(struct garbage *garbage, const struct race *race);

#endif
