/* Races: two threads, one word, at least one writes, not both by atomics, and nothing orders them.
 *
 * Every 4-byte word has records of who wrote it last and who read it last. An access is ordered
 * after an earlier one when
 *   - both are the same thread's,
 *   - a __syncthreads of their block came between,
 *   - they are lanes of one warp and a chain of __syncwarp leads from one to the other, or
 *   - the earlier thread passed a __threadfence and then an atomic on some X, and the later one a
 *     later atomic on X; __syncthreads extends both sides to their blocks (CUDA C++ Programming
 *     Guide, "Memory Fence Functions").
 * The last rule needs to know the whole launch: what the others do not order is kept, and judged
 * at the launch's end.
 *
 * Time: each thread has a clock that advances at its __syncwarp and __threadfence; __syncthreads
 * sets all clocks of the block to one new value. Every access is stamped with its thread's clock.
 */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "run/lane.h"
#include "watch/merge.h"

/* The race detector's state of one OS thread. */
struct race;

/* shared_words: words of shared memory that accesses will name. Ends the program when memory is
 * short. */
struct race *race_new(size_t shared_words);

void race_block_begin(struct race *race, const struct block *block);

/* One access of some lanes of a warp. word[lane]: which word of shared memory, or of global memory
 * as memory_word gives it, the access begins in. */
void race_shared(struct race *race, const struct warp_event *event, unsigned warp, unsigned lanes,
                 const size_t word[32]);
void race_global(struct race *race, const struct warp_event *event, unsigned warp, unsigned lanes,
                 const size_t word[32]);

/* __syncwarp and __threadfence by lanes of a warp; the place of their last atomics in the order of
 * all atomics; __syncthreads of the block. */
void race_syncwarp(struct race *race, const struct warp_event *event, unsigned warp);
void race_fence(struct race *race, const struct warp_event *event, unsigned warp);
void race_order(struct race *race, const struct warp_event *event, unsigned warp);
void race_barrier(struct race *race);

/* Has a shared word been in a conflict since the block began? */
bool race_has_conflict(const struct race *race, size_t word);

/* The launch has ended, all[0 … count-1] are the states of all OS threads: judges what was kept and
 * adds findings. */
void race_judge(struct race *const all[], int count, const struct launch *launch);

#endif
