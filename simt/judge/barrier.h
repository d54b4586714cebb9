/* Do all threads of a block come to the same __syncthreads, in the same turn of the loop around it?
 *
 * A thread that has ended is absent from every later barrier, however it ended, unless it went
 * around this one and on to a later turn of the loop. Of those that live all must be at one
 * barrier, called from one place, and in one turn: a thread that went around the barrier in one
 * turn of a loop and comes to it in a later one meets threads of another turn. A turn is a jump
 * back over the barrier's place in the program since the thread's last barrier.
 *
 * The compiler may have copied a barrier: so two are one if their lines are, those of the calls
 * that were inlined included, and their numbers on their line (compile/rewrite.c). */
#ifndef SIMT_BARRIER_H
#define SIMT_BARRIER_H

#include "run/lane.h"

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

#endif
