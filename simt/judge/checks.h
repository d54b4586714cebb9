/* The checks that judge.c hands each access and operation to, but for races (race.h). */
#ifndef SIMT_CHECKS_H
#define SIMT_CHECKS_H

#include "judge/race.h"
#include "watch/hooks.h"
#include "watch/space.h"

/* ---- bounds.c: may a kernel touch this? ---- */

/* An access that would go to that space and is not known to be allowed: may the lane make it? If
 * not, it becomes a finding, and where there is no memory at all the program ends. A read of a
 * constant that nobody has set becomes a note. */
bool bounds_allow(const struct lane *lane, const struct lane_access *access,
                  enum count_space space);

/* An access, allowed, whose address is no multiple of its size: a finding, if that is certain. */
void bounds_misaligned(const struct lane *lane, const struct lane_access *access);

/* ---- garbage.c: reads of what nobody has written ---- */

/* What one place (run/block.h) keeps of the block that runs there. shared_words: how many words of
 * shared memory accesses will name. Ends the program when memory is short. */
struct garbage;
struct garbage *garbage_new(size_t shared_words);
void garbage_block_begin(struct garbage *garbage, const struct block *block);

/* An access, in the order in which they are made. An atomic reads, too; an exchange counts as a
 * store, since its result may be thrown away. Had nobody written some of its bytes? */
bool garbage_access(struct garbage *garbage, const struct touch *touch);

/* ---- barrier.c: do all threads of a block come to the same barrier, in the same turn? ---- */

/* Loops around one barrier, nested or one after the other; more are not looked at. */
enum { MAX_BACK_JUMPS = 8 };

/* What one place keeps of the block that runs there; all zero at first. */
struct barrier {
    bool diverged; /* told already: later barriers only show the consequences */
    uint8_t jumps[MAX_LANES];
    struct back_jump {
        uint64_t from, to; /* positions in the program */
        unsigned count;    /* how often the lane has made it since its last barrier */
    } jump[MAX_LANES][MAX_BACK_JUMPS];
};

void barrier_block_begin(struct barrier *barrier, const struct block *block);

/* The lane jumps back, from the end of the basic block that it is in, of this key and depth, to the
 * begin of one at `to`. */
void barrier_jump(struct barrier *barrier, const struct lane *lane, uint64_t key, unsigned depth,
                  uint32_t to);

/* All living threads of the block have come to a barrier, first before all others. A divergent
 * barrier becomes a finding. */
void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first);

/* ---- inflight.c: a launch that may begin before the one before it has ended ---- */

/* It touches what that one touches only when it has waited for its end (Guide, "Programmatic
 * Dependent Launch and Synchronization"): the thread itself, one of its warp before a warp
 * operation, or one of its block before a barrier. Of one place; all zero at first. */
struct early {
    const struct block *block;
    unsigned waited[MAX_WARPS]; /* lanes that have waited, or go behind one that has */
};

void early_block_begin(struct early *early, const struct block *block);

/* A thread waits for the launch before, or comes to a fence, behind which order may come from a
 * block that has; lanes of a warp meet at an operation; all threads of the block meet. */
void early_wait(struct early *early, unsigned thread);
void early_meet(struct early *early, unsigned warp, unsigned lanes);
void early_barrier(struct early *early);

/* An access to global memory: a finding where it meets the launch before. */
void early_access(const struct early *early, const struct touch *touch);

/* A launch has ended: until the host waits it may not touch what that touched. */
void inflight_launch(const struct launch *launch);

#endif
