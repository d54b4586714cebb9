/* What a thread knows: which accesses and operations of other threads are ordered before its next
 * access (happens-before), as vector clocks.
 *
 * A clock of accesses has a time for each block, each warp and each thread: accesses of that block,
 * warp or thread with an earlier time are known. A clock of operations has a number for each chain
 * (struct order): the chain's writes up to that number are known. */
#pragma once

#include "judge/vector_clock.h"
#include "judge/words.h"
#include "run/lane.h"

enum scope { SCOPE_BLOCK, SCOPE_DEVICE };

/* A set of accesses and operations that have happened. */
struct knowledge {
    vector_clock accesses;   /* clock of accesses */
    vector_clock operations; /* clock of operations */
};

/* What a thread's next write by an operation releases: what was ordered before its last fence. The
 * thread's own accesses stay outside the clock until an operation needs it, because behind most
 * fences of a kernel comes none. */
struct release {
    struct knowledge known; /* of other threads */
    uint32_t own;   /* its own accesses before this time; 0: no fence since the last barrier */
    uint32_t warp;  /* its warp's accesses before this time */
    uint32_t block; /* its block's accesses before this time */
    bool fresh;     /* by a fence since the last barrier: it holds all older releases */
};

/* A thread's view. The last operation that it saw stands beside the clock, because most threads see
 * no other. */
struct view {
    uint32_t time;                  /* the thread's logical time */
    uint32_t warp_time;             /* the time behind the last __syncwarp of its whole warp */
    uint32_t saw_chain, saw_number; /* the last operation that it saw; 0: none but in `current` */
    struct knowledge current;       /* ordered before its next access */
    struct knowledge acquirable[2]; /* by scope: seen, and ordered before it behind a fence */
    struct release release[2];      /* by scope of the fence */
};

/* A key of a clock of accesses: the block (what = 0), one of its warps, one of its threads. */
enum { KEY_BITS = 11, KEY_BLOCK = 0, KEY_WARP = 1, KEY_THREAD = 1 << 10 };
static inline uint64_t view_key(uint32_t block, unsigned what)
{
    return (uint64_t)block << KEY_BITS | what;
}

static inline uint32_t view_later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Adds more to what is known; what this thread of the block releases. */
void view_join(struct knowledge *known, const struct knowledge *more);
void view_join_release(struct knowledge *known, uint32_t block, unsigned thread,
                       const struct release *release);

/* The thread sees an operation: this number of the chain. */
void view_see(struct view *view, uint32_t chain, uint32_t number);

/* Moves the last operation that the thread saw into its clock. */
void view_keep_last_seen(struct view *view);

/* Acquires what the thread saw by operations up to this scope. */
void view_acquire(struct view *view, enum scope scope);

/* Does the thread know of this operation? view_saw: or will it behind its next fence? */
static inline bool view_saw_last(const struct view *view, uint32_t chain, uint32_t number)
{
    return view->saw_chain == chain && view->saw_number >= number;
}
bool view_saw(const struct view *view, uint32_t chain, uint32_t number);

/* Those of the lanes whose access is not known. */
unsigned view_unordered(const struct knowledge *known, const struct access *access, unsigned lanes);
