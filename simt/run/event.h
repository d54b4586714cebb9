/* The events of a CUDA thread, and the log that keeps them: one event per access, barrier, warp
 * operation and branch.
 *
 * The key of an event is its position in the program. The lanes of a warp run one after the other;
 * comparing positions tells where they would run together (watch/merge.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* For each lane i of a mask, the lowest first. */
#define EACH_LANE(i, lanes)                                                                        \
    for (int left_ = (int)(lanes), i; left_ && (i = __builtin_ctz((unsigned)left_), true);         \
         left_ = (int)((unsigned)left_ & ((unsigned)left_ - 1)))

enum event_kind {
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,
    EVENT_BRANCH, /* the end of a basic block; the address is the pc at which the next begins */
    EVENT_FENCE,  /* never logged; the address is 0 for __threadfence_block, 1 for the other fences,
                     FENCE_WAIT where the thread waits until the launch before has ended, and
                     FENCE_ARRIVE for the barrier_arrive of a block */
    EVENT_ORDER,  /* never logged; follows an atomic or volatile access in a program with fences.
                     The size is its enum effect. A compare-and-swap or an exchange that changed the
                     word may have taken a lock: the address is a hash of the word's old value then,
                     and 0 for all other accesses */
    /* these wait, and are sorted behind all that do not */
    EVENT_SYNCTHREADS,
    EVENT_SYNCWARP, /* the address of this one and those below is the mask. A shuffle's has the lane
                       whose value it gets from bit 32 on */
    EVENT_SHUFFLE,
    EVENT_VOTE,
    EVENT_REDUCE,
    EVENT_KINDS
};

enum { FENCE_WAIT = 2, FENCE_ARRIVE = 3 };

/* The effect of an atomic or volatile access on its word. */
enum effect {
    EFFECT_READ,   /* none: it was a load, or a compare-and-swap that failed */
    EFFECT_CHANGE, /* an atomic changed it */
    EFFECT_STORE,  /* a volatile store */
    EFFECT_SAME    /* an atomic wrote the value that was there */
};

/* 16 bytes, because a launch makes hundreds of millions of them. */
struct event {
    uint64_t key;          /* its position in the program (below) */
    uint64_t address : 48; /* of an access; other kinds: enum event_kind */
    uint64_t kind : 4;     /* enum event_kind */
    uint64_t depth : 2;    /* calls that lead there, at most 2: which field of the key has the pc */
    uint64_t size : 5;     /* bytes, at most 16 */
    uint64_t extra : 5;    /* the bits below; of a __syncthreads its number on its line */
};

/* All but the key and the address, where they lie in the event's second half. */
#define EVENT_ADDRESS (((uint64_t)1 << 48) - 1)
#define EVENT_DEPTH   52
static inline uint64_t event_what(unsigned kind, unsigned size, unsigned extra)
{
    return (uint64_t)kind << 48 | (uint64_t)size << 54 | (uint64_t)extra << 59;
}

enum {
    /* of a load or store */
    EXTRA_VOLATILE = 1,
    EXTRA_ASYNC = 2, /* of a store: it is a memcpy_async's, which the hardware does not count */
    EXTRA_LANE_SHIFT = 1, /* of a load: from this bit on enum event_piece */
    /* of an atomic */
    EXTRA_BLOCK_SCOPE = 1, /* only its own block can rely on it */
    EXTRA_CAS = 2,         /* it is a compare-and-swap, */
    EXTRA_EXCHANGE = 4,    /* or an exchange */
    EXTRA_LOOPS = 8,       /* shared memory has no instruction for it: nvcc makes a loop */
    EXTRA_COMBINES = 16,   /* nvcc lets one lane make the atomic of all lanes of the warp */
    EXTRA_COUNTS = EXTRA_LOOPS | EXTRA_COMBINES /* of 4 bytes: an instruction of shared memory that
                                                   adds 1 */
};

/* A structure, or what memcpy copies, is loaded in several pieces, but is one access. */
enum event_piece { PIECE_NONE, PIECE_MORE, PIECE_LAST };

/* A key has three fields: the call site in the kernel, the call site in the function that the
 * kernel called, and the pc; keys compare in this order. Code at the kernel's own level has its pc
 * in the first field. A field is 20 bits of the offset into the program's code, and one bit that
 * puts the end of a basic block behind all else in the block. */
enum { KEY_FIELD_BITS = 21, KEY_PC_MASK = (1 << 20) - 1 };
#define KEY_WAITS ((uint64_t)1 << 63)

/* The depth of an event in code that is so many calls deep; the kernel itself is 1 deep. */
static inline unsigned event_depth(unsigned calls)
{
    return calls <= 1 ? 0 : calls == 2 ? 1 : 2;
}

/* The place of the pc's lowest bit in a key of this depth. */
static inline unsigned event_shift(unsigned depth)
{
    return (2 - depth) * KEY_FIELD_BITS + 1;
}

/* The first field of a path, which the call in the kernel has set, without the others. */
static inline uint64_t path_of_kernel(uint64_t path)
{
    return path & ~(((uint64_t)1 << 2 * KEY_FIELD_BITS) - 1);
}

/* The pc (offset into the code) that a key of this depth holds. */
static inline uint32_t key_pc(uint64_t key, unsigned depth)
{
    return (uint32_t)(key >> event_shift(depth)) & KEY_PC_MASK;
}

/* The number of 4-byte words that an access touches; and the bytes that it touches in its k-th
 * word, as a mask of four bits. */
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

/* ---- logs ---- */

/* The hooks fill the lanes' logs (watch/hooks.c). The log lies with the lane, where a hook that
 * runs for every access finds it at once. Of the LOG_EVENTS events in its memory, the one in front
 * of `begin` is the last event that was taken out of the log, or all zero; one at the end is spare,
 * for MERGE_END (watch/merge.h). */
enum { LOG_EVENTS = 252, LOG_ROOM = LOG_EVENTS - 2, LOG_LEVELS = 14 };

struct log {
    uintptr_t stack;    /* where the lane's own stack begins: its local variables are not memory */
    struct event *next; /* where the next event goes. When it is not below end the lane stops in
                           front of its next event, because the log is full, because the lane is
                           traced, or because somebody has set end to LOG_STOP */
    struct event *end;  /* NULL: nobody observes */
    uint64_t path;      /* the fields of the key above the current depth */
    uint64_t place;     /* the key of the last place at this depth; 0: none */
    uint64_t event_depth;  /* the depth of its events, at its place in them */
    uint64_t scale;        /* a pc times this is the pc's field of a key of this depth */
    uint32_t exited;       /* the pc behind the last call of __tsan_func_exit, until the next basic
                              block begins */
    uint16_t depth;        /* of calls; the kernel itself is 1 deep */
    bool in_range;         /* a range is being logged: none of its pieces has been accessed yet */
    bool storing;          /* stores are about to be made, and somebody is to be told afterwards */
    struct event *begin;   /* where events begin; NULL: nobody observes */
    struct values *values; /* of a lane that is traced (watch/trace.h); else NULL */
    bool volatile_due; /* the last event is a volatile load that has no place in the order yet, or a
                          volatile store at which polling lanes have not looked yet (run/block.h) */
    uint64_t level[LOG_LEVELS + 1]; /* `place` in each caller, from depth 1 on; deeper callers share
                                       the last entry */
};

/* Sets what all events of a depth have in common, once per call instead of once per event. */
static inline void log_set_depth(struct log *log, unsigned depth)
{
    log->depth = (uint16_t)depth;
    log->scale = (uint64_t)1 << event_shift(event_depth(depth));
    log->event_depth = (uint64_t)event_depth(depth) << EVENT_DEPTH;
}

/* An end that is below all events. */
#define LOG_STOP ((struct event *)1)

/* Sets up the log of a lane that nobody observes. */
static inline void log_nothing(struct log *log)
{
    log->begin = log->end = NULL;
    log->values = NULL;
    log->storing = false;
    log->next = (struct event *)log; /* not below LOG_STOP */
    log->place = 0;
    log->depth = LOG_LEVELS; /* of no branch */
}

/* The lane's last event, also after it has been taken out of the log; all zero: there was none. */
static inline struct event log_last(const struct log *log)
{
    return log->begin ? log->next[-1] : (struct event){0};
}

/* The pc of the lane's last event; of a branch, the pc at which the next basic block begins. */
static inline uint32_t log_last_pc(const struct log *log)
{
    struct event last = log_last(log);

    return last.kind == EVENT_BRANCH ? (uint32_t)last.address : key_pc(last.key, last.depth);
}
