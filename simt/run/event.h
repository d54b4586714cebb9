/* What a CUDA thread did, one event an access, barrier, branch or fence: the lane's log.
 *
 * An event's key is its position in the program. Lanes of a warp that diverged run one after the
 * other; where they meet again is found by comparing positions (watch/merge.h). */
#pragma once

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
    EVENT_ORDER,  /* where fences are used, behind an atomic or volatile access; the address is
                     what order_of makes of its effect. Neither this nor a fence is logged */
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

/* The effect of an atomic or volatile access on the word. */
enum effect {
    EFFECT_READ,   /* none: a load, or a compare-and-swap that failed */
    EFFECT_CHANGE, /* an atomic changed it */
    EFFECT_STORE,  /* a volatile store */
    EFFECT_SAME    /* an atomic wrote the value that was there */
};

/* The address of an EVENT_ORDER: the effect, and a hash of the value from which the access may have
 * taken a lock: a compare-and-swap or an exchange that changed the word; 0 for all others. */
static inline uint64_t order_of(enum effect effect, uint32_t taken_from)
{
    return (uint64_t)taken_from << 2 | effect;
}

static inline enum effect order_effect(uint64_t order)
{
    return (enum effect)(order & 3);
}

static inline uint32_t order_taken_from(uint64_t order)
{
    return (uint32_t)(order >> 2);
}

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
 * on, of a load, enum event_piece; of an atomic, whether only its block can rely on it, whether it
 * is a compare-and-swap, or an exchange, whether shared memory has no instruction for it, and
 * whether nvcc combines a warp's; of 4 bytes both: shared memory has one that only counts
 * (EXTRA_COUNTS). Of a __syncthreads its number on its line. */
enum {
    EXTRA_VOLATILE = 1,
    EXTRA_BLOCK_SCOPE = 1,
    EXTRA_CAS = 2,
    EXTRA_EXCHANGE = 4,
    EXTRA_LOOPS = 8,
    EXTRA_COMBINES = 16,
    EXTRA_COUNTS = EXTRA_LOOPS | EXTRA_COMBINES,
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

/* ---- logs ---- */

/* A lane's log: room for what it does, event by event. The hooks fill it (watch/hooks.c); this room
 * only keeps it with the lane, where a hook that runs for every access finds it at once. */
/* Of a log's events the first is the last of those that were taken out of it, or all zero. One at
 * its end is spare, for the end of what is merged (watch/merge.h). */
enum { LOG_EVENTS = 252, LOG_ROOM = LOG_EVENTS - 2, LOG_LEVELS = 14 };

struct log {
    uintptr_t stack;          /* the lane's own stack: its local variables are not memory */
    struct event *next, *end; /* of the room for events. When next is not below end the lane stops
                                 in front of its next event: the room is full, the lane is traced,
                                 or somebody has set end to LOG_STOP. end is NULL where nobody
                                 looks */
    uint64_t path;            /* fields of the key above the current depth */
    uint64_t place;           /* key of the last place at this depth; 0: none */
    uint64_t what;            /* the depth, as an event's second half tells it */
    uint64_t scale;           /* of a key's pc, of this depth: 1 where the key has its lowest bit */
    uint32_t exited;          /* behind its last call of __tsan_func_exit, until its next block */
    uint16_t depth;           /* of calls; the kernel's own is 1 */
    bool in_range; /* a range is being logged, of which no piece is made before all are logged */
    uint8_t stored_size; /* not 0: at `stored` so many bytes are about to be stored, and somebody is
                            to be told when they have been */
    uintptr_t stored;
    struct event *begin;            /* NULL: nobody looks */
    uint64_t level[LOG_LEVELS + 1]; /* of the calls that lead here, place at each depth from 1 on;
                                       deeper ones share the last */
    struct values *values;          /* of a lane that is traced (watch/trace.h); NULL: it is not */
    bool volatile_load; /* the last access was one, and its place in the order is still to come */
    uintptr_t volatile_store; /* where the last access was one, and polling lanes are still to look
                                 (run/schedule.h); 0: it was none */
};

/* What the events of a depth of calls have in common, once a call instead of once an event. */
static inline void log_set_depth(struct log *log, unsigned depth)
{
    log->depth = (uint16_t)depth;
    log->scale = (uint64_t)1 << event_shift(event_depth(depth));
    log->what = event_what(0, 0, event_depth(depth), 0, 0);
}

/* Below all events. */
#define LOG_STOP ((struct event *)1)

/* Of a lane that nobody looks at nothing is logged. */
static inline void log_nothing(struct log *log)
{
    log->begin = log->end = NULL;
    log->values = NULL;
    log->stored_size = 0;
    log->next = (struct event *)log; /* not below LOG_STOP */
    log->place = 0;
}

/* The lane's last event, also when it has been taken out of the log; all zero: there was none. Its
 * address is known of a branch. */
static inline struct event log_last(const struct log *log)
{
    return log->begin ? log->next[-1] : (struct event){0};
}

/* Where the lane was then: of a block's end, where the next one begins. */
static inline uint32_t log_last_pc(const struct log *log)
{
    struct event last = log_last(log);

    return last.kind == EVENT_BRANCH ? (uint32_t)last.address : key_pc(last.key, last.depth);
}
