/* What is known of each word of memory: who touched it last, as records. */
#ifndef SIMT_SHADOW_H
#define SIMT_SHADOW_H

#include "run/event.h"
#include "run/lane.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Who touched a word. run: the launch (global memory) or the block's serial number in its place
 * (shared memory); a record of another run is as good as none. bytes: which of the word's four;
 * wide: 0 if the access was within the word, 1 if it had 8 bytes, 2 if 16. several: lanes beyond
 * the one of thread, see struct more. others: it may have changed the word. */
struct record {
    uint32_t run : 23, several : 1, writes : 1;
    uint32_t block_scope : 1, is_volatile : 1, bytes : 4;
    uint32_t block;
    uint32_t time; /* as order_now stamps it */
    uint32_t pc : 20, thread : 10, wide : 2;
};

/* A record as a whole. The processor hands what was just stored on to a load only if one store
 * covers it: who made a record field by field would have to wait before he could copy it. So a
 * record that is made for each word is put together from these, in registers. */
typedef uint64_t record_bits __attribute__((vector_size(16)));

static inline record_bits record_load(const struct record *record)
{
    record_bits bits;
    memcpy(&bits, record, sizeof bits);
    return bits;
}

static inline void record_store(struct record *record, record_bits bits)
{
    memcpy(record, &bits, sizeof bits);
}

/* Of a record all of whose other fields are 0. */
static inline record_bits record_of(unsigned thread, unsigned bytes, bool several, bool writes)
{
    const struct record one[] = {{.thread = 1}, {.bytes = 1}, {.several = 1}, {.writes = 1}};

    return (record_bits){bytes * record_load(&one[1])[0] + several * record_load(&one[2])[0] +
                             writes * record_load(&one[3])[0],
                         thread * record_load(&one[0])[1]};
}

/* What all records of a request have in common. */
static inline record_bits record_of_request(uint32_t run, uint32_t block, uint32_t time,
                                            uint32_t pc, unsigned wide, bool is_volatile,
                                            bool block_scope)
{
    const struct record one[] = {{.run = 1},  {.block = 1},       {.time = 1},       {.pc = 1},
                                 {.wide = 1}, {.is_volatile = 1}, {.block_scope = 1}};

    return (record_bits){run * record_load(&one[0])[0] + block * record_load(&one[1])[0] +
                             is_volatile * record_load(&one[5])[0] +
                             block_scope * record_load(&one[6])[0],
                         time * record_load(&one[2])[1] + pc * record_load(&one[3])[1] +
                             wide * record_load(&one[4])[1]};
}

/* What few records need: which lanes; where fences are used, where they stood, and where behind an
 * operation, as numbers (standing.h). */
struct more {
    uint32_t lanes, standing, behind;
};

/* The records of a word: its last writer (of bytes 1 to 3 too, where parts of words are written),
 * its last atomic and its last reader. Those before them that still matter are kept on a list
 * (kept.h). */
enum { WRITER, ATOMIC = 4, ATOMIC_ELSEWHERE, READER, SLOTS };

/* touched: the last run in which one of the 64 words of a chunk was written, or had an atomic: most
 * of what is read never is; crowded: in which there was no room to keep an access to one of them.
 * contended: the last run in which a word was in a conflict. kept: the number of the first one that
 * is kept of it. */
enum { CHUNK_SHIFT = 6 };
struct shadow {
    struct record *record[SLOTS];
    struct more *more[SLOTS];
    uint32_t *touched, *crowded, *contended, *kept;
    bool atomics, scoped, pieces; /* have there been atomics, such of block scope, writes of parts
                                     of words? */
};

/* Address space for the records of so many words, committed where it is touched: a word that is
 * only read costs 16 bytes, 32 where fences are used. Ends the program when there is none. */
void shadow_map(struct shadow *shadow, size_t words);

/* Forgets all records. Runs are numbered from 1 to MOST_RUNS, and from 1 again: before that. */
enum { MOST_RUNS = (1 << 23) - 1 };
void shadow_forget(struct shadow *shadow, size_t words);

/* These words are nobody's any more: what is known of them goes back to the operating system, whole
 * pages of it. */
void shadow_give_back(struct shadow *shadow, size_t word, size_t words);

/* The enum event_kind of the accesses whose records are in this slot. */
static inline uint8_t shadow_operation(int slot)
{
    return slot < ATOMIC ? EVENT_STORE : slot < READER ? EVENT_ATOMIC : EVENT_LOAD;
}

/* ---- older accesses ---- */

/* What a record says, and of which operation it is (EVENT_LOAD, EVENT_STORE, EVENT_ATOMIC). */
struct kept {
    struct record record;
    struct more more;
    const struct shadow *shadow;
    size_t word;
    uint32_t next, count; /* count: of the word's, from here on */
    uint8_t operation;
    bool exchanges, ordered; /* of first accesses (first.h) */
};

/* The first one of the word in this run, and the next one; NULL: there is none. */
struct kept *kept_first(const struct shadow *shadow, size_t word, uint32_t run);
struct kept *kept_next(const struct kept *k);

/* Adds one; false: there is no room, of its word or at all. */
bool kept_add(const struct kept *k);

/* Drops one that follows `before`, or, if that is NULL, is the first of its word. */
void kept_drop(struct kept *before, struct kept *k);

/* One that is on no list: its number, and the one with a number; 0: there is no room, none. */
uint32_t kept_apart(const struct kept *k);
struct kept *kept_at(uint32_t number);

/* The launch has ended. */
void kept_forget(void);

#endif
