/* Races: two threads, one word, at least one writes, not both by atomics whose scopes hold both,
 * and nothing orders them. An access is ordered after an earlier one when
 *   - both are the same thread's,
 *   - a __syncthreads of their block came between,
 *   - they are lanes of one warp and a chain of __syncwarp leads from one to the other (order.h),
 * or
 *   - fences and atomics hand order over from one to the other (handover.h).
 *
 * A plain read is no race with atomics if its thread's next access to the word is an atomicCAS,
 * which looks whether it still holds. */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "run/atomic.h"
#include "run/lane.h"
#include "watch/merge.h"

/* The race detector's state of one place (run/pool.h). */
struct race;

/* shared_words: words of shared memory that accesses will name. Ends the program when memory is
 * short. */
struct race *race_new(size_t shared_words);

void race_block_begin(struct race *race, const struct block *block);
void race_block_end(struct race *race);

/* A request of a warp. word[lane]: which word of shared memory, or of global memory as memory_word
 * gives it, the access begins in. */
void race_access(struct race *race, const struct warp_event *event, unsigned warp,
                 const size_t word[32], bool shared);

/* Is it for race_unwritten when this request comes to what nobody has written? An access whose
 * order fences and atomics may tell; where there are no fences, an atomicExch. */
static inline bool race_takes_unwritten(const struct warp_event *event)
{
    if (!atomic_program_has_fences())
        return event->kind == EVENT_ATOMIC && event->extra & EXTRA_EXCHANGE;
    return event->kind == EVENT_ATOMIC || event->extra & EXTRA_VOLATILE;
}

/* A request comes to a word of which nobody has written these bytes, which from here on count as
 * written. In front of race_access. Whatever reads them, and is not ordered behind a write, could
 * have come first: told at the launch's end. */
void race_unwritten(struct race *race, size_t word, unsigned bytes, bool shared);

/* The request is an atomicCAS; read_pc[lane] is where the thread read the word plainly just before,
 * with no other access to it in between, 0 if it did not. */
void race_excuse(struct race *race, const struct warp_event *event, unsigned warp,
                 const uint32_t read_pc[32], const size_t word[32], bool shared);

/* As it happens, in front of what is merged: a thread of the block passes a fence, or comes to a
 * __syncwarp; it has made an atomic or volatile access, with this effect (EVENT_ORDER). Only where
 * there are fences does this matter. */
void race_fences(struct race *race, unsigned thread, bool device);
void race_meets(struct race *race, unsigned thread, unsigned mask);
void race_operates(struct race *race, unsigned thread, size_t word, bool shared,
                   const struct event *access, unsigned effect);

/* What of this has been merged: a __syncwarp; one of the others. And __syncthreads of the block. */
void race_syncwarp(struct race *race, const struct warp_event *event, unsigned warp);
void race_synchronised(struct race *race, const struct warp_event *event, unsigned warp);
void race_barrier(struct race *race);

/* These words of global memory were freed: what is kept about them goes back to the operating
 * system. Any thread may call it. */
void race_forget(size_t word, size_t words);

/* Has a shared word been in a conflict since the block began? */
bool race_has_conflict(const struct race *race, size_t word);

/* Has a word of global memory been in one in this launch? */
bool race_has_global_conflict(size_t word, const struct launch *launch);

/* Did that launch touch these bytes (a mask) of a word of global memory in a way that whoever reads
 * it at the same time, or stores to it, may not? Kernels that look by volatile loads expect that.
 * *writes: it wrote them. */
bool race_touched(size_t word, unsigned bytes, unsigned launch, bool store, bool *writes);

/* The launch has ended, and so have its blocks: judges what was kept and adds findings. */
void race_judge(const struct launch *launch);

#endif
