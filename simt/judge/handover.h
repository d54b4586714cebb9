/* Order that fences and atomics hand over from thread to thread. Pure.
 *
 * CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA, "Memory Consistency Model":
 *   - A thread that passes a fence and then writes X by an operation that others can see (an atomic
 *     or volatile one) hands over what was ordered before its fence.
 *   - A thread whose operation on X sees that write, directly or through further atomics on X, and
 *     that then passes a fence or a __syncthreads takes it over.
 *   - The operation on X itself, not what came before it, is ordered before whatever follows an
 *     operation that sees it.
 *   - A volatile load, which is made in order, needs no fence between it and the operation that
 * saw. The same holds for an atomic.
 *   - Both fences, and each two operations in a row, must have a scope that holds both threads.
 *   - __syncthreads and __syncwarp pass on what each of their threads knows.
 *
 * A launch keeps its synchronisation and, of words that may be in a race, all accesses. When it has
 * ended, the accesses to a word are put in an order that no hand-over contradicts, each is compared
 * with those before it that it conflicts with, and of each pair it is asked whether the earlier one
 * is ordered before the later one. The answer comes from a replay of all synchronisation, which
 * carries along, for 64 earlier accesses at a time, who knows of them. */
#ifndef SIMT_HANDOVER_H
#define SIMT_HANDOVER_H

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
    bool is_volatile, is_cas;
    uint32_t first, cell, cell_of_block; /* set by handover_judge: places in its tables */
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
    uint8_t warp, kind, bytes, wide; /* bytes: which of the word's four; wide: as in race.c */
    uint8_t scope, effect;           /* of PAST_ATOMIC and volatile ones */
    bool is_volatile, contended;     /* contended: this word is to be judged */
};

/* What a launch kept; the arrays belong to the caller. threads: of a block. */
struct handover {
    struct sync *sync;
    size_t syncs;
    struct past *past;
    size_t pasts, room; /* room: of past[]; it may be enlarged by realloc */
    unsigned threads;
};

/* Two accesses that nothing orders. flag: both are volatile or atomic, the writer passed a fence
 * before and the reader one after: what lies behind is ordered, the word itself is not. */
struct unordered {
    const struct past *a, *b;
    unsigned lane[2];
    bool flag;
};

/* Judges all contended words and hands every pair to told. False when memory or the bound on pairs
 * was reached, and not all was judged. Changes the arrays. */
bool handover_judge(struct handover *handover,
                    void (*told)(void *context, const struct unordered *pair), void *context);

#endif
