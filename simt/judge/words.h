/* Compares an access to a word with those before it (shadow.h), and remembers it. What nothing
 * orders is a pair (pairs.h). */
#ifndef SIMT_WORDS_H
#define SIMT_WORDS_H

#include "judge/handover.h"
#include "judge/order.h"
#include "judge/pairs.h"
#include "judge/shadow.h"

/* What one place keeps of the block that runs there, and of the launch; all zero at first. */
struct words {
    struct order order;
    struct handover *handover; /* NULL where the program has no fences */
};

/* An access by lanes of a warp to one address, and in turn to each of its words. */
struct touch {
    struct shadow *shadow;
    bool shared, is_volatile, exchanges, takes; /* exchanges: it is an atomicExch; takes: or an
                                                   atomicCAS */
    uint8_t operation;                          /* EVENT_LOAD, EVENT_STORE, EVENT_ATOMIC */
    unsigned warp, lanes;
    size_t word;
    struct record now; /* the record that it leaves; of a request, its thread and bytes are 0 */
    struct more more;  /* and, of one address, what else it leaves */
    struct standing standing; /* where fences are used: more.standing */
};

void words_block_begin(struct words *words, uint32_t block, unsigned threads);
void words_barrier(struct words *words);

/* The access to touch->word. */
void words_touch(struct words *words, const struct touch *touch);

/* Where fences are used: nobody has written these bytes of the word, which is about to be touched
 * by an atomic or volatile access. */
void words_unwritten(const struct touch *touch, unsigned bytes);

/* The launch has ended: adds pairs for all reads that may have been the first to come to such
 * bytes. False: not all could be kept. */
bool words_judge(void);

/* The word's name in struct pair and for handover.h, where those of different blocks' shared
 * memories differ. */
static inline uint64_t words_name(const struct touch *touch)
{
    return touch->shared ? (uint64_t)1 << 63 | (uint64_t)touch->now.block << 20 | touch->word
                         : touch->word;
}

/* The access of a lane that left the record, as handover.h asks about it. */
struct happened words_happened(const struct record *record, const struct more *more, unsigned lane);

/* Who left the record, as this thread of the block, as a finding tells it. */
struct actor words_actor(const struct record *record, unsigned thread, uint8_t operation);

#endif
