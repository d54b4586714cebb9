/* The race detector's shadow memory: for each word of 4 bytes a short list of the earlier accesses
 * with which a later access must be compared. */
#pragma once

#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One access of one thread, as the checks get it, in the order in which the accesses are made. An
 * "operation" is an atomic or volatile access in a program with fences (PTX: a strong operation).
 */
struct touch {
    uintptr_t address;   /* of its first byte */
    size_t word;         /* number of its first word: in shared memory, or as memory_word has it */
    bool shared;         /* it goes to shared memory, not to global memory */
    bool first;          /* an operation on bytes that nobody had written completely (garbage.c) */
    unsigned thread;     /* linear index in its block */
    unsigned kind, size; /* enum event_kind; bytes */
    unsigned extra;      /* EXTRA_… bits of event.h */
    uint32_t pc;         /* place in the code, as in event.h */
    uint32_t taken_from; /* hash of the value from which it may have taken a lock (event.h); 0 */
};

/* The place of an operation in the modification order of its word. */
struct order {
    uint32_t chain;      /* number of the release sequence (sync.c) that it belongs to; 0: none */
    uint32_t number;     /* its write is the chain's n-th, from 1 on; 0: it does not write */
    uint32_t round : 31; /* number of writes that its thread had made by operations before */
    uint32_t fenced : 1; /* the thread passed a fence before, and did not leave all locks since */
};

/* An access, as lists keep it. Lanes of a warp that make the same access, to one word or to many,
 * share one. Block, warp, time and the entry's lanes are FastTrack's epoch. */
struct access {
    uint32_t run;          /* global memory: the launch; shared memory: the block's phase. An access
                              of an earlier run is ordered before everything that comes now */
    uint32_t block;        /* linear index in the grid */
    uint32_t time;         /* the thread's logical time (sync.h) */
    struct order order;    /* of an operation; of other accesses all zero */
    uint32_t pc;           /* place in the code */
    uint32_t section : 31; /* critical section (sync.c) in which the thread has passed no fence of
                              the device's scope; 0: none */
    uint32_t fenced : 1;   /* in that section the thread has passed a fence of the block's scope */
    uint8_t bytes;         /* mask of the word's bytes that it touches */
    uint8_t warp;          /* index in its block */
    uint8_t wide;          /* 0: it lies within the word; 1: it has 8 bytes; 2: it has 16 */
    uint8_t kind : 2;      /* EVENT_LOAD, EVENT_STORE or EVENT_ATOMIC */
    uint8_t writes : 1;    /* it may have changed the word */
    uint8_t is_volatile : 1; /* a volatile load or store */
    uint8_t block_scope : 1; /* an atomic whose name ends in _block */
    uint8_t same : 1;        /* an atomic that wrote the value that was there */
    uint32_t users; /* number of lists that have it, plus 1 while it is a recent one (words.c) */
};

/* PTX's strong operations: atomics and volatile accesses. */
static inline bool access_is_strong(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || a->is_volatile;
}

/* Is the access made behind what its thread saw by an earlier operation, even without a fence in
 * between? Atomics and volatile loads are. */
static inline bool access_is_in_order(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || (a->kind == EVENT_LOAD && a->is_volatile);
}

/* Does the scope of each of the two accesses hold the other thread? */
static inline bool access_scopes_meet(const struct access *a, const struct access *b)
{
    return a->block == b->block || (!a->block_scope && !b->block_scope);
}

/* The access's bytes, warp and kind in one number; of a plain store in it, beside bytes and warp.
 */
enum { WORDS_STORES = EVENT_STORE << 24 | 1 << 26, WORDS_WARP = 0xff << 8 };
static inline uint32_t words_what(const struct access *a)
{
    return *(const uint32_t *)&a->bytes;
}

/* Of that the bytes, shifted within a word, and whether the access is wide, by its size. */
static inline uint32_t words_part(unsigned bytes, unsigned size)
{
    return bytes | (size > 8 ? 2u : size > 4) << 16;
}

/* Is it a plain load at this place of this part of a word? */
static inline bool words_is_load_like(const struct access *a, uint32_t pc, uint32_t part)
{
    return a->pc == pc && (words_what(a) & ~WORDS_WARP) == part;
}

/* Are the two accesses equal in all but `users`? */
static inline bool words_equal(const struct access *a, const struct access *b)
{
    return a->pc == b->pc && memcmp(a, b, offsetof(struct access, users)) == 0;
}

/* An entry of a word's list. Writes stand first, then reads; of both the newest is in front. The
 * first entry lies in an array that is indexed by the word. */
struct entry {
    uint32_t access;    /* index in words_accesses; 0: the list is empty */
    uint32_t lanes;     /* mask of the lanes that made the access */
    uint32_t next : 29; /* index in words_entries of the next entry; 0: none */
    uint32_t first : 1; /* as in struct touch */
    uint32_t crowd : 2; /* enum crowd, of the list's first entry */
};

/* Which plain loads like a list's first one need not be kept, in a program without fences. */
enum crowd {
    CROWD_NONE,
    CROWD_WARPS, /* those by its block at its time: two warps have made them */
    CROWD_BLOCKS /* all of this run: two blocks have */
};

extern struct access *words_accesses; /* from index 1 on */
extern struct entry *words_entries;   /* all entries but the first of each list */

/* A name for the word that is unique in the launch: each block has its own shared words. */
static inline uint64_t words_name(uint32_t block, size_t word, bool shared)
{
    return shared ? (uint64_t)1 << 63 | (uint64_t)block << 20 | word : word;
}

/* Empty lists for `count` words. It is address space, which takes memory only where it is touched.
 * Ends the program when there is none. */
struct entry *words_map(size_t count);

/* The access's index in words_accesses; a recent equal access has the same one. 0: no room. */
uint32_t words_number(const struct access *access);

/* The index of the last access by this place in the code to these bytes of a word: mostly the next
 * one there, by another lane, is equal. 0: there was none. */
enum { WORDS_RECENT = 256 };
extern uint32_t words_recent[WORDS_RECENT];
static inline uint32_t *words_recent_at(uint32_t pc, uint32_t bytes)
{
    return &words_recent[(pc / 4 + bytes) % WORDS_RECENT];
}

/* The entry's access. */
static inline const struct access *words_access_of(const struct entry *entry)
{
    return &words_accesses[entry->access];
}

static inline struct entry *words_next(const struct entry *entry)
{
    return entry->next ? &words_entries[entry->next] : NULL;
}

/* The word's first entry, if it is of this run; else NULL. */
static inline struct entry *words_first(struct entry *word, uint32_t run)
{
    return word->access && words_access_of(word)->run == run ? word : NULL;
}

/* Makes this the word's only entry; those that it has are of earlier runs. */
void words_begin(struct entry *word, uint32_t access, uint32_t lanes);

/* Adds an entry (access, lanes, first) to the word's list, behind the entry `behind`, or in front
 * (NULL). Drops entries of earlier runs. False: no room. */
bool words_add(struct entry *word, struct entry *behind, uint32_t access, uint32_t lanes,
               bool first);

/* Removes an entry from its list. `before` is the entry in front of it; NULL: it is the first.
 * Returns the next entry; NULL: it was the last. */
struct entry *words_drop(struct entry *before, struct entry *entry);

/* Empties the lists of `count` words, whose memory has been freed. */
void words_forget(struct entry *words, size_t count);
