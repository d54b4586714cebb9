/* The race detector.
 *
 * Rule: two accesses of different threads race if they touch the same byte, at least one of them
 * writes, they are not both atomics whose scopes hold both threads, and neither happens before the
 * other (order.h). Source: PTX ISA, "Memory Consistency Model". Races are told when the launch has
 * ended (pairs.h). README.md leads through the calls. */
#pragma once

#include "judge/order.h"
#include "judge/words.h"

/* The race detector's state of one place (run/block.h), for the block that runs there. */
struct race {
    const struct launch *launch;
    bool fences;          /* the program has fences */
    struct entry *shared; /* lists of the words of shared memory */
    struct sync sync;     /* what orders the block's accesses */
};

extern struct entry *race_global; /* lists of the words of global memory; NULL: no kernel has run */

/* A place is set up, for so many words of shared memory; then each block begins. race_begin ends
 * the program when there is no memory. */
void race_begin(struct race *race, size_t shared_words);
void race_block_begin(struct race *race, const struct block *block);

/* Is a plain load covered by loads on the word's list, so that it need not be kept? It is if a
 * later write that races with it races with one of those, too: if no other block has written the
 * word, nor has this block since its last barrier, and the same load was made by the thread's warp
 * or, in a program without fences, by two other warps. bytes: mask of the word's bytes. */
bool race_covered_by_others(const struct race *race, struct entry *word, unsigned thread,
                            uint32_t pc, unsigned bytes);

static inline bool race_is_covered(const struct race *race, struct entry *word, uint32_t run,
                                   unsigned thread, uint32_t pc, unsigned bytes)
{
    const struct access *a = words_access_of(word);

    if (!word->access || a->run != run)
        return false;
    /* mostly it is the last load again, by another lane */
    if (a->block == race->sync.number && a->pc == pc && a->warp == thread / WARP_SIZE &&
        a->bytes == bytes && !a->writes && !access_is_strong(a) &&
        a->time == sync_view(&race->sync, thread)->time) {
        word->lanes |= 1u << thread % WARP_SIZE;
        return true;
    }
    return race_covered_by_others(race, word, thread, pc, bytes);
}

/* Judges an access that is about to be made (effect RACE_PLAIN). In a program with fences: judges
 * an atomic or volatile load that has been made, or a volatile store that is about to be, of this
 * enum effect. True: call pairs_settle when the access has been made. */
enum { RACE_PLAIN = -1 };
bool race_access(struct race *race, const struct touch *touch, int effect);

/* Did that launch use any of these bytes of global memory in a way that conflicts with a store
 * (store) or load of them at the same time? A volatile load does not: it expects a change. *writes:
 * the launch wrote them. */
bool race_launch_used(unsigned launch, uintptr_t address, size_t size, bool store, bool *writes);

/* The launch has ended, and so have its blocks: adds findings. */
void race_judge(const struct launch *launch);

/* ---- keep.c: which earlier accesses stay on a word's list when a new one is added ----
 *
 * Those with which a later access must be compared although it is compared with the new one.
 * Rule: an earlier access goes if the new one stands for it: every later access that races with the
 * earlier one races with the new one, too. */

/* At most KEEP_MOST accesses are compared with a new one. A plain read looks only at the KEEP_FEW
 * last reads, to drop some of them. */
enum { KEEP_MOST = 1 << 12, KEEP_FEW = 16 };

/* The lanes of the entry's access with which later accesses must still be compared. seen: while a
 * list is walked, whether an entry was kept that stands for others of this block ([0]) or of other
 * blocks ([1]); both false at first. */
unsigned keep_lanes(const struct look *look, const struct entry *entry, bool seen[2]);
