/* Writes down what a launch does to synchronise, and accesses to words that may be in a race, in
 * one place: only in programs that have fences. history.h says what it is. */
#ifndef SIMT_JOURNAL_H
#define SIMT_JOURNAL_H

#include "judge/history.h"
#include "run/lane.h"
#include "watch/merge.h"

struct journal {
    unsigned threads;          /* of the block */
    uint32_t block;            /* its index */
    uint64_t level[MAX_LANES]; /* the last ordered operation that each thread knows of */
    uint64_t block_level;      /* and that all know of, by a barrier */
    uint32_t serial, epoch;
    struct sync last[MAX_LANES]; /* what each thread's last atomic or volatile access was */
    struct polling {
        uint32_t last,
            count; /* where in sync[] its last look is, and how many there are, up to 2 */
    } polling[MAX_LANES];
    struct sync *sync;
    size_t syncs, sync_room, block_syncs; /* block_syncs: before this block */
    bool block_matters;                   /* shall the synchronisation of this block be kept? */
    struct past *past;
    size_t pasts, past_room;
    bool overflow; /* not all could be written down */
};

void journal_block_begin(struct journal *journal, uint32_t block, unsigned threads);
void journal_block_end(struct journal *journal);

/* Where an access by this thread of the block, now, stands in the launch. */
static inline uint64_t journal_position(const struct journal *journal, unsigned thread)
{
    uint64_t own = journal->level[thread], all = journal->block_level;
    return position_of(own > all ? own : all, journal->serial);
}

/* Of these lanes of a warp, those that stand where the first does. */
unsigned journal_together(const struct journal *journal, unsigned warp, unsigned lanes);

/* A __syncwarp joined these lanes; some lanes passed a fence (event as in run/event.h); the block
 * passed a barrier. */
void journal_syncwarp(struct journal *journal, unsigned warp, unsigned mask);
void journal_fence(struct journal *journal, const struct warp_event *event, unsigned warp);
void journal_barrier(struct journal *journal);

/* An atomic or volatile access by these lanes, each on its own, of which all is known but position
 * and effect; and the event that tells these. */
void journal_operation(struct journal *journal, const struct sync *operation, unsigned lanes);
void journal_order(struct journal *journal, const struct warp_event *event, unsigned warp);

/* A plain access to a word that may be in a race. */
void journal_access(struct journal *journal, const struct past *past);

/* Moves what was written down since the last launch behind what there is of a history. False: it
 * was too much, and not all is there. Ends the program when there is no memory. */
bool journal_move(struct history *into, struct journal *journal);

#endif
