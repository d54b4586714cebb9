/* What is known of each word of memory: a short list of the accesses to it that a later one is to
 * be compared with. */
#ifndef SIMT_WORD_H
#define SIMT_WORD_H

#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread does to memory, told in the order in which it happens. word: of shared memory, or
 * of global memory as memory_word gives it, in which the access begins. kind and extra as in
 * event.h. first: it is an operation, and nobody had written some of its bytes (garbage.c). takes:
 * as of EVENT_ORDER. */
struct touch {
    uintptr_t address;
    size_t word;
    bool shared, first;
    unsigned thread, kind, size, extra;
    uint32_t pc, takes;
};

/* Where an operation (an atomic or volatile access, in a program with fences) stands among those on
 * its word. chain: of operations that see each other, 0: none. number: of the chain's writes so
 * far, its own included, 0: it does not write. round: how many words its thread had written by
 * operations before. fenced: the thread passed a fence, and since made only volatile stores. */
struct order {
    uint32_t chain, number, round : 31, fenced : 1;
};

/* An access. Those that are alike, by lanes of a warp, to one word or many, are kept once. run: the
 * launch (global memory), or the epoch of the block, which a barrier ends (shared memory, sync.h);
 * an access of another run counts no more. warp: in its block; bytes: which of the word's four;
 * wide: 0 if the access was within the word, 1 if it had 8 bytes, 2 if 16. section: its thread had
 * taken a lock (sync.h), and passed no fence since, or only one of the block's scope (fenced).
 * writes: it may have changed the word. users: how many lists have it, and one more while it is
 * recent. */
struct access {
    uint32_t run, block, time;
    struct order order;
    uint32_t pc, section : 31, fenced : 1;
    uint8_t bytes, warp, wide, kind : 2, writes : 1, is_volatile : 1, block_scope : 1;
    uint32_t users;
};

static inline bool access_is_strong(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || a->is_volatile;
}

/* Such a one needs no fence in front of it to come behind what its thread saw. */
static inline bool access_is_in_order(const struct access *a)
{
    return a->kind == EVENT_ATOMIC || (a->kind == EVENT_LOAD && a->is_volatile);
}

/* Can the scopes of two accesses hold both threads? */
static inline bool access_scopes_meet(const struct access *a, const struct access *b)
{
    return a->block == b->block || (!a->block_scope && !b->block_scope);
}

/* An entry of a word's list: first those that write, then the others, the newest in front. lanes:
 * those that made the access. next: the entry behind it, 0: none. first: it is an operation, on
 * bytes that nobody had written. The list's head lies by the word: its access is 0 if empty. */
struct entry {
    uint32_t access, lanes, next : 31, first : 1;
};

extern struct access *words_accesses; /* by their numbers */
extern struct entry *words_entries;

/* The word's name in the launch: shared words have one in each block. */
static inline uint64_t words_name(uint32_t block, size_t word, bool shared)
{
    return shared ? (uint64_t)1 << 63 | (uint64_t)block << 20 | word : word;
}

/* So many words, of which nothing is known: address space, committed where it is touched. Ends the
 * program when there is none. */
struct entry *words_map(size_t count);

/* The number of this access, the same as that of a recent one that is alike; 0: there is no room.
 */
uint32_t words_access(const struct access *access);

/* The number of the recent access at that place to such bytes; 0: there is none. */
enum { WORDS_RECENT = 256 };
extern uint32_t words_recent[WORDS_RECENT];
static inline uint32_t *words_recent_at(uint32_t pc, unsigned bytes)
{
    return &words_recent[(pc / 4 + bytes) % WORDS_RECENT];
}

static inline const struct access *words_made(const struct entry *entry)
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
    return word->access && words_made(word)->run == run ? word : NULL;
}

/* Adds an entry (access, lanes, first) to the word's list, behind one that is there, or in front
 * (NULL); what is of other runs is forgotten. False: there is no room. */
bool words_add(struct entry *word, struct entry *behind, uint32_t access, uint32_t lanes,
               bool first);

/* Takes an entry out of a list, in which it follows `before` (NULL: it is the first). Returns the
 * one behind it, NULL: it was the last. */
struct entry *words_drop(struct entry *before, struct entry *entry);

/* These words are nobody's any more. */
void words_forget(struct entry *words, size_t count);

#endif
