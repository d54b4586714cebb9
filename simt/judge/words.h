/* Compares an access to a word with those before it (shadow.h), and remembers it. What nothing in
 * the block orders is a pair (pairs.h); where fences are used, it is written down (journal.h) and
 * judged when the launch has ended. */
#ifndef SIMT_WORDS_H
#define SIMT_WORDS_H

#include "judge/journal.h"
#include "judge/order.h"
#include "judge/pairs.h"
#include "judge/shadow.h"

/* What one place keeps of the block that runs there, and of the launch; all zero at first. */
struct words {
    bool fenced; /* does the program have fences? */
    struct order order;
    struct spilled *spilled; /* what records have no room for: a hash table */
    uint32_t spill_stamp, spills;
    bool overflow; /* nor had that */
    struct journal journal;
    struct pairs pairs;
};

/* An access by lanes of a warp to one address, and in turn to each of its words. */
struct touch {
    struct shadow *shadow;
    bool shared, is_volatile, exchanges; /* exchanges: it is an atomicExch */
    uint8_t operation;                   /* EVENT_LOAD, EVENT_STORE, EVENT_ATOMIC */
    unsigned warp, lanes;
    size_t word;
    uint64_t position; /* where fences are used: as in struct past */
    uint32_t epoch;
    struct record now; /* the record that it leaves; of a request, its thread and bytes are 0 */
};

void words_block_begin(struct words *words, uint32_t block, unsigned threads);
void words_barrier(struct words *words);

/* The access to touch->word. */
void words_touch(struct words *words, const struct touch *touch);

/* The word's name in struct past and struct pair, where those of different blocks' shared memories
 * differ. */
static inline uint64_t words_name(const struct touch *touch)
{
    return touch->shared ? (uint64_t)1 << 63 | (uint64_t)touch->now.block << 20 | touch->word
                         : touch->word;
}

/* Who left the record, as this thread of the block, as a finding tells it. */
struct actor words_actor(const struct record *record, unsigned thread, uint8_t operation);

#endif
