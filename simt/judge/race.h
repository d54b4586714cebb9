/* The race detector. Two threads race if they access the same word, at least one of them writes,
 * they are not both atomics whose scopes hold both threads, and neither happens before the other
 * (sync.h). Races are told when the launch has ended (pairs.h). README.md leads through the calls.
 */
#pragma once

#include "judge/sync.h"
#include "judge/word.h"

/* The race detector's state of one place (run/block.h), for the block that runs there. */
struct race {
    const struct launch *launch;
    bool fences;          /* has the program fences? */
    struct entry *shared; /* the lists of its shared memory's words */
    struct sync sync;
};

extern struct entry *race_global; /* the lists of global memory's words; NULL: no kernel has run */

/* shared_words: words of shared memory that accesses will name. Ends the program when memory is
 * short. */
void race_begin(struct race *race, size_t shared_words);
void race_block_begin(struct race *race, const struct block *block);

/* Is a plain load covered by loads on the word's list, so that it need not be kept? So it is if the
 * block has not written the word since its last barrier, and the same load was made by the thread's
 * warp, or, in a program without fences, by two other warps: a later write that races with this
 * load races with one of those, too. bytes: of the word's four. */
bool race_covered_by_others(const struct race *race, struct entry *word, unsigned thread,
                            uint32_t pc, unsigned bytes);

static inline bool race_is_covered(const struct race *race, struct entry *word, uint32_t run,
                                   unsigned thread, uint32_t pc, unsigned bytes)
{
    const struct access *a = words_access_of(word);

    if (!word->access || a->run != run)
        return false;
    /* the usual case: the last load again, by another lane */
    if (a->block == race->sync.number && a->pc == pc && a->warp == thread / WARP_SIZE &&
        a->bytes == bytes && !a->writes && !access_is_strong(a) &&
        a->time == sync_view(&race->sync, thread)->time) {
        word->lanes |= 1u << thread % WARP_SIZE;
        return true;
    }
    return race_covered_by_others(race, word, thread, pc, bytes);
}

/* Judges an access. It is about to be made, and its effect is PLAIN; but in a program with fences
 * an atomic or a volatile load has been made, and these and volatile stores have an effect. True:
 * call pairs_settle when the access has been made. */
enum { PLAIN = -1 };
bool race_access(struct race *race, const struct touch *touch, int effect);

/* The launch has ended, and so have its blocks: adds findings. */
void race_judge(const struct launch *launch);
