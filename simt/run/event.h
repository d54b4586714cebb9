/* What a CUDA thread did, one event an access, barrier, branch or fence: the lane's log.
 *
 * An event's key is its position in the program. Lanes of a warp that diverged run one after the
 * other; where they meet again is found by comparing positions (watch/merge.h). */
#ifndef SIMT_EVENT_H
#define SIMT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,
    EVENT_BRANCH, /* the end of a basic block; the address is the pc at which the next begins */
    EVENT_FENCE,
    EVENT_ORDER, /* behind an atomic: its place among all atomics of the launch */
    /* from here on: sorted after everything that does not wait */
    EVENT_SYNCTHREADS,
    EVENT_SYNCWARP, /* of warp operations the address is the mask, of a shuffle also, from bit 32
                       on, the lane whose value it gets */
    EVENT_SHUFFLE,
    EVENT_VOTE,
    EVENT_REDUCE,
    EVENT_KINDS
};

/* 16 bytes, because a launch makes hundreds of millions of them. */
struct event {
    uint64_t key;
    uint64_t address : 48;
    uint64_t kind : 4;
    uint64_t depth : 2; /* how many calls deep, at most 2: which field of the key holds the pc */
    uint64_t size : 8;  /* bytes */
    uint64_t piece : 2; /* enum event_piece */
};

/* A structure, or what memcpy copies, goes piece by piece, and is one access nevertheless. */
enum event_piece { PIECE_NONE, PIECE_MORE, PIECE_LAST };

/* Positions compare like (call site in the kernel, call site in what it called, pc); a thread at
 * the kernel's own level has its pc in the first field. A field is 20 bits of the offset into the
 * program's code and one bit that puts a block's end behind everything else in it. */
enum { KEY_FIELD_BITS = 21, KEY_PC_MASK = (1 << 20) - 1 };
#define KEY_WAITS ((uint64_t)1 << 63)

static inline uint64_t event_key(uint64_t path, unsigned depth, uint32_t pc, bool end)
{
    uint64_t field = (uint64_t)(pc & KEY_PC_MASK) << 1 | end;
    return path | field << (2 - depth) * KEY_FIELD_BITS;
}

/* The pc (offset into the code) that a key of this depth holds. */
static inline uint32_t key_pc(uint64_t key, unsigned depth)
{
    return (uint32_t)(key >> ((2 - depth) * KEY_FIELD_BITS + 1)) & KEY_PC_MASK;
}

/* An access of size bytes in words of 4: how many it touches, and which bytes, as a mask of four
 * bits, of its k-th one. */
static inline unsigned event_words(uint64_t address, unsigned size)
{
    return (unsigned)((address % 4 + size + 3) / 4);
}

static inline unsigned event_bytes(uint64_t address, unsigned size, unsigned k)
{
    unsigned first = k == 0 ? address % 4 : 0;
    unsigned after = (unsigned)(address % 4) + size - 4 * k;
    return (0xfu << first & 0xf) & (after >= 4 ? 0xf : (1u << after) - 1);
}

static inline bool event_is_access(unsigned kind)
{
    return kind <= EVENT_ATOMIC;
}

#endif
