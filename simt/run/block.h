/* Runs one CUDA block. */
#ifndef SIMT_BLOCK_H
#define SIMT_BLOCK_H

#include "run/lane.h"

/* Returns NULL when memory is short. few_guards: saves the operating system's mappings (fiber.h).
 * They are kept for good. */
struct block *block_new(bool few_guards);

/* Makes room for so many threads; false when memory is short. */
bool block_has_room(struct block *block, unsigned threads);

/* Begins one block of the launch, for which there is room. */
void block_begin(struct block *block, const struct launch *launch, uint3 index);

/* Runs it on, to its end: then true; or until it rests: all of its threads that could run only poll
 * memory that nobody changes, or it was disturbed. A deadlock is told to the observer and ends the
 * program. */
bool block_continue(struct block *block, bool *disturbed);

/* Of a block that rests: a number that grows with everything that it does to memory (plain stores
 * only where they are observed) or that gets it further. */
uint64_t block_activity(const struct block *block);

/* Of a block that rests: how many of its threads poll this word? */
unsigned block_polls(const struct block *block, const void *word);

/* Is every thread of a block that rests in a state that it was in at an earlier call? Then none
 * gets any further unless memory changes. When it did, calls before that shall not count: their
 * states are forgotten. */
bool block_repeats(struct block *block);
void block_forget_states(struct block *block);

/* So far, of all blocks. */
extern uint64_t block_threads_ended;

/* ---- its warps' operations ---- */

/* A lane of the warp has ended: finishes the operations that waited for nobody else. */
void warp_lane_ended(struct block *block, struct warp *warp);

#endif
