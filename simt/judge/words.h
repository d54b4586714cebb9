/* Compares an access to a word with those before it (shadow.h), and remembers it. What nothing
 * orders is a pair (pairs.h). */
#ifndef SIMT_WORDS_H
#define SIMT_WORDS_H

#include "judge/handover.h"
#include "judge/order.h"
#include "judge/touch.h"

/* What one place keeps of the block that runs there, and of the launch; all zero at first. */
struct words {
    struct order order;
    struct handover *handover; /* NULL where the program has no fences */
};

void words_block_begin(struct words *words, uint32_t block, unsigned threads);
void words_barrier(struct words *words);

/* The access to touch->word. */
void words_touch(struct words *words, const struct touch *touch);

/* Nobody has written these bytes of the word, which is about to be touched (first.h). */
void words_unwritten(const struct touch *touch, unsigned bytes);

/* The launch has ended: adds pairs for all reads that may have been the first to come to such
 * bytes. False: not all could be kept. */
bool words_judge(void);

#endif
