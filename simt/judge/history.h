/* What a launch did to synchronise, and accesses to words that may be in a race: as they are
 * written down (journal.h) and judged at its end (handover.h). Pure. */
#ifndef SIMT_HISTORY_H
#define SIMT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where something stands in the launch: the number of the last ordered operation that its thread
 * knows of, then a serial number within its block. A thread's own positions never decrease, and
 * what is ordered before has the smaller one. An access has the serial number of the
 * synchronisation that follows it. */
enum { POSITION_SERIAL_BITS = 24 };
static inline uint64_t position_of(uint64_t number, uint32_t serial)
{
    return number << POSITION_SERIAL_BITS | serial;
}

enum sync_kind { SYNC_BARRIER, SYNC_WARP, SYNC_FENCE, SYNC_OPERATION };
/* EFFECT_SAME: written, and the value is what it was. */
enum sync_effect { EFFECT_READ, EFFECT_CHANGE, EFFECT_STORE, EFFECT_SAME };
enum sync_scope { SCOPE_BLOCK, SCOPE_DEVICE };

/* Synchronisation by lanes of a warp (SYNC_BARRIER: by the whole block). */
struct sync {
    uint64_t position;
    uint64_t word; /* SYNC_OPERATION: the first word it touches, as in struct past */
    uint32_t block, lanes;
    uint32_t pc, epoch;
    uint8_t warp, kind, scope, effect;
    uint8_t bytes, words, wide; /* SYNC_OPERATION: as in struct past; how many words it touches */
    bool is_volatile, is_cas, is_exchange;
    uint32_t first, cell, cell_of_block; /* set by replay_new: places in its tables */
};

enum past_kind { PAST_LOAD, PAST_STORE, PAST_ATOMIC };

/* An access to a word by lanes of a warp. */
struct past {
    uint64_t
        word; /* any number that tells words apart, those of two blocks' shared memories, too */
    uint64_t position;
    uint32_t block, lanes;
    uint32_t pc;
    uint32_t epoch;                  /* grows with each __syncthreads of the block */
    uint8_t warp, kind, bytes, wide; /* bytes: which of the word's four; wide: as in shadow.h */
    uint8_t scope, effect;           /* of PAST_ATOMIC and volatile ones */
    bool is_volatile, contended;     /* contended: this word is to be judged */
    bool swaps;                      /* an atomicCAS or atomicExch: what takes a lock */
    bool reads; /* a volatile load, or an atomic other than atomicExch, whose old value may be
                   thrown away */
    uint8_t unwritten; /* this is no access: nobody had written these bytes of the word when its
                          first atomic or volatile access came */
};

/* What a launch kept; the arrays belong to the caller. */
struct history {
    struct sync *sync; /* when judged: sorted by position */
    size_t syncs;
    struct past *past;  /* when judged: sorted by word, then by position */
    size_t pasts, room; /* room: of past[], which may be enlarged by realloc */
    unsigned threads;   /* of a block, as whole warps */
};

/* Is it atomic or volatile? */
static inline bool past_is_strong(const struct past *p)
{
    return p->kind == PAST_ATOMIC || p->is_volatile;
}

static inline bool past_writes(const struct past *p)
{
    return p->kind == PAST_STORE || (p->kind == PAST_ATOMIC && p->effect != EFFECT_READ);
}

/* Are these two operations atomic with respect to each other? */
static inline bool past_scopes_meet(const struct past *a, const struct past *b)
{
    return a->block == b->block || (a->scope == SCOPE_DEVICE && b->scope == SCOPE_DEVICE);
}

/* Adds an access; false: no memory. */
bool history_add(struct history *history, const struct past *past);

/* Index of the first synchronisation at this position or behind it. */
size_t history_sync_at(const struct history *history, uint64_t position);

#endif
