/* The shadow memory of the race detector: for each word a short list of the accesses with which a
 * later one is to be compared. */
#pragma once

#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread does to memory, told in the order in which it happens. An operation is an atomic or
 * volatile access in a program with fences. */
struct touch {
    uintptr_t address;
    size_t word; /* in which it begins: of shared memory, or of global memory (memory_word) */
    bool shared;
    bool first;      /* an operation on bytes of which some had never been written (garbage.c) */
    unsigned thread; /* in its block */
    unsigned kind, size; /* as in event.h */
    unsigned extra;      /* as in event.h */
    uint32_t pc;
    uint32_t taken_from; /* as of order_of (event.h) */
};

/* The place of an operation among those on its word. */
struct order {
    uint32_t chain;      /* of operations that see each other; 0: none */
    uint32_t number;     /* of the chain's writes so far, its own included; 0: it does not write */
    uint32_t round : 31; /* words that its thread had written by operations before */
    uint32_t fenced : 1; /* the thread passed a fence, and since made only volatile stores */
};

/* An access. Lanes of a warp that make the same one, to one word or to many, share it. */
struct access {
    uint32_t run; /* the launch (global memory) or the block's epoch (shared memory): of
                     another run it no longer counts */
    uint32_t block;
    uint32_t time; /* its thread's (sync.h) */
    struct order order;
    uint32_t pc;
    uint32_t
        section : 31;    /* of a lock, in which its thread passed no fence of the device's scope */
    uint32_t fenced : 1; /* but one of the block's */
    uint8_t bytes;       /* which of the word's four, as a mask */
    uint8_t warp;        /* in its block */
    uint8_t wide;        /* 0: it was within the word; 1: it had 8 bytes; 2: it had 16 */
    uint8_t kind : 2;
    uint8_t writes : 1; /* it may have changed the word */
    uint8_t is_volatile : 1;
    uint8_t block_scope : 1;
    uint32_t users; /* lists that have it, and one more while it is recent */
};

/* PTX's strong operations: atomics and volatile accesses. */
static inline bool access_is_strong(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || a->is_volatile;
}

/* Does the access come behind what its thread saw, even without a fence between? */
static inline bool access_is_in_order(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || (a->kind == EVENT_LOAD && a->is_volatile);
}

/* Can the scopes of two accesses hold both threads? */
static inline bool access_scopes_meet(const struct access *a, const struct access *b)
{
    return a->block == b->block || (!a->block_scope && !b->block_scope);
}

/* Are the two accesses the same, but for their users? */
static inline bool words_equal(const struct access *a, const struct access *b)
{
    return a->pc == b->pc && memcmp(a, b, offsetof(struct access, users)) == 0;
}

/* An entry of a word's list: first those that write, then the others, the newest in front. The
 * list's head lies by the word. */
struct entry {
    uint32_t access;    /* its number; 0: the list is empty */
    uint32_t lanes;     /* that made the access, as a mask */
    uint32_t next : 31; /* the entry behind it; 0: none */
    uint32_t first : 1; /* as in struct touch */
};

extern struct access *words_accesses; /* by their numbers */
extern struct entry *words_entries;

/* The word's name in the launch: shared words have one in each block. */
static inline uint64_t words_name(uint32_t block, size_t word, bool shared)
{
    return shared ? (uint64_t)1 << 63 | (uint64_t)block << 20 | word : word;
}

/* Empty lists for so many words: address space, committed where it is touched. Ends the program
 * when there is none. */
struct entry *words_map(size_t count);

/* The number of this access; a recent equal one has the same. 0: there is no room. */
uint32_t words_number(const struct access *access);

/* The number of the last access at this place to such bytes; 0: there is none. */
enum { WORDS_RECENT = 256 };
extern uint32_t words_recent[WORDS_RECENT];
static inline uint32_t *words_recent_at(uint32_t pc, unsigned bytes)
{
    return &words_recent[(pc / 4 + bytes) % WORDS_RECENT];
}

/* The access that the entry is about. */
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

/* Adds an entry (access, lanes, first) to the word's list, behind one that is there, or in front
 * (NULL). Forgets entries of other runs. False: there is no room. */
bool words_add(struct entry *word, struct entry *behind, uint32_t access, uint32_t lanes,
               bool first);

/* Takes an entry out of a list, in which it follows `before` (NULL: it is the first). Returns the
 * one behind it, NULL: it was the last. */
struct entry *words_drop(struct entry *before, struct entry *entry);

/* Empties the lists of these words, which have been freed. */
void words_forget(struct entry *words, size_t count);
