/* What is known of each word of memory: the accesses to it that a later one is to be compared with,
 * as two short lists. */
#ifndef SIMT_WORD_H
#define SIMT_WORD_H

#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Accesses of lanes of one warp that are alike. run: the launch (global memory) or the block's
 * serial number in its place (shared memory); what is of another run is as good as gone. warp: in
 * its block; bytes: which of the word's four; wide: 0 if the access was within the word, 1 if it
 * had 8 bytes, 2 if 16. writes: it may have changed the word. note: as sync.h has it. raced: the
 * word was in a race by then. first: by an operation to bytes that nobody had written. */
struct access {
    uint32_t run, block, time, note;
    uint32_t pc : 20, warp : 5, wide : 2, kind : 2, writes : 1, is_volatile : 1, block_scope : 1;
    uint32_t bytes : 4, raced : 1, first : 1, many : 1, count : 16; /* count: of the list, from here
                                                                       on. many: see below */
    uint32_t lanes, next;
};

/* Of each word the numbers of the first access that only reads, and of the first that writes; 0:
 * none. Most words are touched once, by one lane: such an access stands for many words'
 * (then `lanes` is how many), whose numbers have ONE, and the lane in their lowest bits. */
enum list { READS, WRITES };
struct words {
    uint32_t (*first)[2];
};
enum { LANE_BITS = 5 };
#define WORDS_ONE ((uint32_t)1 << 31)

/* Address space for so many words, committed where it is touched: at the first call for twice as
 * many accesses and some, too. Ends the program when there is none. */
void words_map(struct words *words, size_t count);

extern struct access *words_all;

static inline struct access *words_at(uint32_t number)
{
    return number & WORDS_ONE ? &words_all[(number & ~WORDS_ONE) >> LANE_BITS]
           : number           ? &words_all[number]
                              : NULL;
}

/* The accesses to a word in this run, the last one first, to be changed: NULL, there is none. Those
 * of other runs are forgotten. */
struct access *words_first(struct words *words, size_t word, enum list list, uint32_t run);

static inline struct access *words_next(const struct access *access)
{
    return words_at(access->next);
}

/* The same of any run; nothing is forgotten, nor is it to be changed. */
static inline const struct access *words_last(const struct words *words, size_t word,
                                              enum list list)
{
    return words_at(words->first[word][list]);
}

/* The lanes of the first one. */
static inline uint32_t words_lanes(const struct words *words, size_t word, enum list list)
{
    uint32_t number = words->first[word][list];
    return number & WORDS_ONE ? 1u << (number & 31) : words_at(number)->lanes;
}

/* Adds one at the front; false: there is no room, of its word or at all. Drops the one behind
 * `before`, or, if that is NULL, the first of its list. */
bool words_add(struct words *words, size_t word, enum list list, const struct access *access);
void words_drop(struct words *words, size_t word, enum list list, struct access *before);
void words_forget_list(struct words *words, size_t word, enum list list);

/* These words are nobody's any more. */
void words_forget(struct words *words, size_t word, size_t count);

#endif
