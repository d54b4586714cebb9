/* What a CUDA thread did, one event an access, barrier, branch or fence: the lane's log.
 *
 * An event's key is its position in the program. Lanes of a warp that diverged run one after the
 * other; where they meet again is found by comparing positions (watch/merge.h). */
#ifndef SIMT_EVENT_H
#define SIMT_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum event_kind {
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,
    EVENT_BRANCH, /* the end of a basic block; the address is the pc at which the next begins */
    EVENT_FENCE,  /* the address is 0 for __threadfence_block, 1 for others; FENCE_WAIT: it waits
                     until the launch before has ended */
    EVENT_ORDER,  /* where fences are used, behind an atomic or volatile access; the address is its
                     effect: 0 read, 1 changed, 2 stored, 3 written as it was. Neither this nor a
                     fence is logged */
    /* from here on: sorted after everything that does not wait */
    EVENT_SYNCTHREADS,
    EVENT_SYNCWARP, /* of warp operations the address is the mask, of a shuffle also, from bit 32
                       on, the lane whose value it gets */
    EVENT_SHUFFLE,
    EVENT_VOTE,
    EVENT_REDUCE,
    EVENT_KINDS
};

enum { FENCE_WAIT = 2 };

/* 16 bytes, because a launch makes hundreds of millions of them. */
struct event {
    uint64_t key;
    uint64_t address : 48;
    uint64_t kind : 4;
    uint64_t depth : 2; /* how many calls deep, at most 2: which field of the key holds the pc */
    uint64_t size : 5;  /* bytes, at most 16 */
    uint64_t extra : 5; /* see below */
};

/* What more there is to know of an access: of a load or store, whether it is volatile; from bit 1
 * on, of a load, enum event_piece; of an atomic, whether only its block can rely on it, and whether
 * it is a compare-and-swap, or an exchange. Of a __syncthreads its number on its line. */
enum {
    EXTRA_VOLATILE = 1,
    EXTRA_BLOCK_SCOPE = 1,
    EXTRA_CAS = 2,
    EXTRA_EXCHANGE = 4,
    EXTRA_LANE_SHIFT = 1
};

/* A structure, or what memcpy copies, goes piece by piece, and is one access nevertheless. */
enum event_piece { PIECE_NONE, PIECE_MORE, PIECE_LAST };

/* An event's second half in one, as it lies in memory: the innermost loops of all write and read
 * it so. */
enum { WHAT_KIND = 48, WHAT_DEPTH = 52, WHAT_SIZE = 54, WHAT_EXTRA = 59 };

static inline uint64_t event_what(uint64_t address, unsigned kind, unsigned depth, unsigned size,
                                  unsigned extra)
{
    return (address & 0xffffffffffff) | (uint64_t)kind << WHAT_KIND |
           (uint64_t)depth << WHAT_DEPTH | (uint64_t)size << WHAT_SIZE |
           (uint64_t)extra << WHAT_EXTRA;
}

/* Writes an event; returns the place behind it. */
static inline struct event *event_write(struct event *event, uint64_t key, uint64_t what)
{
    memcpy(event, &key, sizeof key);
    memcpy((char *)event + sizeof key, &what, sizeof what);
    return event + 1;
}

/* Positions compare like (call site in the kernel, call site in what it called, pc); a thread at
 * the kernel's own level has its pc in the first field. A field is 20 bits of the offset into the
 * program's code and one bit that puts a block's end behind everything else in it. */
enum { KEY_FIELD_BITS = 21, KEY_PC_MASK = (1 << 20) - 1 };
#define KEY_WAITS ((uint64_t)1 << 63)

/* Of calls that many deep, the kernel's own being 1, an event's depth. */
static inline unsigned event_depth(unsigned calls)
{
    return calls <= 1 ? 0 : calls == 2 ? 1 : 2;
}

/* The place of the pc's lowest bit in a key of this depth. */
static inline unsigned event_shift(unsigned depth)
{
    return (2 - depth) * KEY_FIELD_BITS + 1;
}

/* The fields of a path that the calls in the kernel have, without those in what they called. */
static inline uint64_t path_of_kernel(uint64_t path)
{
    return path & ~(((uint64_t)1 << 2 * KEY_FIELD_BITS) - 1);
}

/* The pc (offset into the code) that a key of this depth holds. */
static inline uint32_t key_pc(uint64_t key, unsigned depth)
{
    return (uint32_t)(key >> event_shift(depth)) & KEY_PC_MASK;
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
