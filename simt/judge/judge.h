/* What is judged of the blocks that run in one place (run/block.h): each access and operation of
 * their warps goes to the checks that it concerns. What they find are findings (finding.h). */
#ifndef SIMT_JUDGE_H
#define SIMT_JUDGE_H

#include "watch/hooks.h"
#include "watch/space.h"

/* As the observer is told (observer.h), a place's first block included; ends the program when
 * memory is short. */
void judge_block_begin(struct block *block);
void judge_block_end(struct block *block);
void judge_warp_meets(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                      unsigned mask);
void judge_barrier(struct block *block, const struct lane *first);

/* As a listener is told (watch/hooks.h). */
enum access_verdict judge_access(const struct lane *lane, const struct lane_access *access);
void judge_stored(const struct lane *lane);
bool judge_synchronises(const struct lane *lane, enum event_kind kind, uint64_t what);
void judge_jumps(const struct lane *lane, uint64_t key, uint32_t to);

/* As the observer is told. */
void judge_freed(const void *begin, size_t size);

/* The launch has ended, and so have its blocks. */
void judge_launch_end(const struct launch *launch);

#endif
