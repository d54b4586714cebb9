/* Races: two threads, one word, at least one writes, not both by atomics whose scopes hold both,
 * and nothing orders them (sync.h). They are told when the launch has ended (pairs.h). */
#ifndef SIMT_RACE_H
#define SIMT_RACE_H

#include "judge/sync.h"
#include "judge/word.h"

/* The race detector's state of one place (run/block.h): of the block that runs there the launch,
 * and what is known of its shared memory; has the program any fences? */
struct race {
    const struct launch *launch;
    bool fences;
    struct entry *shared;
    struct sync sync;
};

extern struct entry *race_global; /* what is known of global memory; NULL: no kernel has run */

/* shared_words: words of shared memory that accesses will name. Ends the program when memory is
 * short. */
void race_begin(struct race *race, size_t shared_words);
void race_block_begin(struct race *race, const struct block *block);

/* Most loads are plain ones of a word that the block has not written since it met last, and that
 * the thread's warp, or, where there are no fences, two other ones have read there. Then nothing
 * more is to be done: whoever races with it races with one of these. bytes: of the word's four. */
bool race_others_know(const struct race *race, struct entry *word, unsigned thread, uint32_t pc,
                      unsigned bytes);

static inline bool race_knows(const struct race *race, struct entry *word, uint32_t run,
                              unsigned thread, uint32_t pc, unsigned bytes)
{
    const struct access *a = words_made(word);

    if (!word->access || a->run != run)
        return false;
    /* mostly it is the last one again, by another lane */
    if (a->block == race->sync.number && a->pc == pc && a->warp == thread / WARP_SIZE &&
        a->bytes == bytes && !a->writes && !access_is_strong(a) &&
        a->time == sync_stands(&race->sync, thread)->time) {
        word->lanes |= 1u << thread % WARP_SIZE;
        return true;
    }
    return race_others_know(race, word, thread, pc, bytes);
}

/* An access, about to be made. Where there are fences, an atomic or volatile one has been made, but
 * for a store, and has this effect (EVENT_ORDER); else it is PLAIN. True: pairs_settle is to be
 * called when it has been made. */
enum { PLAIN = -1 };
bool race_access(struct race *race, const struct touch *touch, int effect);

/* The launch has ended, and so have its blocks: adds findings. */
void race_judge(const struct launch *launch);

#endif
