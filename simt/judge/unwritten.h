/* Reads of global memory that nobody has written since it was allocated. An atomic reads, too; an
 * exchange counts as a store, since its result may be thrown away. An exchange, and where fences
 * are used every atomic and volatile access, is handed on to the race detector, which knows its
 * order.
 *
 * Warps hand in what they did in another order than it happened in. So whether a read was of
 * garbage is decided when the launch has ended: not where another block's store of the same launch
 * may have come first, or where a race decided. */
#ifndef SIMT_UNWRITTEN_H
#define SIMT_UNWRITTEN_H

#include "judge/race.h"

/* What one place keeps of its block. Ends the program when memory is short. */
struct unwritten;
struct unwritten *unwritten_new(void);

void unwritten_block_begin(struct unwritten *unwritten, const struct block *block);

/* An access of lanes of a warp to global memory. word[lane]: as memory_word gives it. one_array:
 * for certain, all lanes' are in one allocation or variable. */
void unwritten_access(struct unwritten *unwritten, struct race *race,
                      const struct warp_event *event, unsigned warp, const size_t word[WARP_SIZE],
                      bool one_array);

/* The launch has ended: adds findings. Before races are judged. */
void unwritten_judge(const struct launch *launch);

#endif
