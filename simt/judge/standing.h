/* Where threads stand between two synchronisations of their own: what they know, and which of their
 * accesses others can know of. Kept as numbers until the launch ends. Pure. */
#ifndef SIMT_STANDING_H
#define SIMT_STANDING_H

#include "judge/clock.h"

enum { SCOPE_BLOCK, SCOPE_DEVICE };

struct standing {
    uint32_t time; /* grows with each fence of the thread, and with all that it waits for */
    clock_number known, seen[2]; /* accesses that are ordered before what it does now; that it has
                                  seen others hand over, by scope, and takes over at a fence */
    clock_number known_operations, seen_operations[2]; /* the same of operations on words */

    /* Behind an operation of its own on a word: of the chains of operations that see each other,
     * the one before it and the one behind it; the how manieth to write the word it is there, 0 if
     * it does not; and had the thread passed a fence, and since then made no operation but volatile
     * stores? Else 0. */
    uint32_t before, chain, number, fence;

    /* Between an atomicCAS that takes a lock and its thread's next operation on that: which such
     * section it is (handover.c), and the scope of the fences that it has passed there, + 1; else
     * 0. */
    uint32_t section, section_fence;
};

/* A number for it, and what one stands for; 0 is where all begin. */
uint32_t standing_keep(const struct standing *standing);
struct standing standing_of(uint32_t number);

/* Writes over a number that nobody has asked for yet: it has to be other than those of which only
 * the time is known, as that of standing_reserve is. */
uint32_t standing_reserve(void);
void standing_settle(uint32_t number, const struct standing *standing);

/* Do two that stand there know the same? Behind operations that did not write: did they come
 * between the same two that did? */
bool standings_alike(uint32_t a, uint32_t b);
bool standings_looked_alike(uint32_t a, uint32_t b);

/* An access, as one that others may know of. */
struct happened {
    uint32_t block, time;
    unsigned thread;
    uint32_t chain, number; /* of an operation, as in struct standing */
};

/* Does who stands there know of it? in_order: by a volatile load or an atomic. */
bool standing_knows(const struct standing *standing, bool in_order,
                    const struct happened *happened);

/* Keys of accesses in clocks: all of a block, of one of its warps, of one of its threads. */
enum { KEY_BITS = 11, KEY_WARP = 1, KEY_THREAD = 1 << 10 };
static inline uint64_t key_of(uint32_t block, unsigned what)
{
    return (uint64_t)block << KEY_BITS | what;
}

/* Is there too much for it all to be kept? */
bool standings_are_full(void);
void standings_forget(void);

#endif
