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
#include "watch/merge.h"

/* A jump back in the program, from the block that ends at one key to the one that begins at
 * another, and how often the lanes of a warp have made it since its last barrier: all 32 together,
 * and each of them otherwise. */
struct back_jump {
    uint64_t from, to;
    unsigned together, count[WARP_SIZE];
};

/* Loops around one barrier, nested or one after the other; more are not looked at. */
enum { MAX_BACK_JUMPS = 16 };

/* What one place keeps of the block that runs there; all zero at first. */
struct barrier {
    bool diverged; /* told already: later barriers only show the consequences */
    struct warp_jumps {
        unsigned count;
        bool full, apart; /* apart: of some jump lanes are counted, each for itself */
        struct back_jump jump[MAX_BACK_JUMPS];
    } warp[MAX_WARPS];
    /* who of a warp came last to a __syncthreads in one request, and its key */
    struct arrival {
        unsigned lanes;
        uint64_t key;
    } arrival[MAX_WARPS];
};

void barrier_block_begin(struct barrier *barrier, const struct block *block);

/* Lanes of a warp have come to the end of a basic block. */
void barrier_branch(struct barrier *barrier, const struct warp_event *event, unsigned warp);

/* Lanes of a warp have come to a __syncthreads. */
void barrier_arrive(struct barrier *barrier, const struct warp_event *event, unsigned warp);

/* All living threads of the block have come to a barrier, first before all others. A divergent
 * barrier becomes a finding. */
void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first);

#endif
