/* Happens-before: which accesses of other threads come before what a thread does next. Barriers,
 * __syncwarp, fences and atomics decide it; they are told in the order in which they happen.
 * README.md sets the field's words beside the names here.
 *
 * Every thread has a time, with which its accesses are stamped. Threads that meet at a barrier go
 * on at a later time than any of theirs: every access with an earlier stamp is ordered before what
 * follows.
 *
 * Fences and atomics release and acquire (CUDA C++ Programming Guide, "Memory Fence Functions"; PTX
 * ISA, "Memory Consistency Model"):
 *   - Release: a thread passes a fence and then writes X by an operation that others can see (an
 *     atomic or a volatile one). It hands over what was ordered before its fence.
 *   - Acquire: a thread's operation on X sees that write, directly or through further atomics on X,
 *     and the thread then passes a fence or a __syncthreads.
 *   - The operation on X itself, but not what came before it, is ordered before whatever follows an
 *     operation that sees it.
 *   - A volatile load and an atomic are made in order: they need no fence behind the operation that
 *     saw.
 *   - Both fences, and each two operations in a row, must have a scope that holds both threads.
 *   - A thread that takes a lock, by a compare-and-swap or an exchange, needs the acquiring fence
 *     even where nobody had the lock before it in the order of this run. In another order it comes
 *     second: without the fence, what it does races with what the next thread does that took the
 *     lock from the same value, unless more than the lock orders the two.
 *   - __syncthreads and __syncwarp pass on what each of their threads knows; also that a thread
 *     passed a fence before, or has seen what was handed over. The operation of either side may
 *     therefore be another thread's than the fence. Reason: __threadfence is PTX's fence.sc, and
 *     fences with these operations between them cannot come in the other order. */
#pragma once

#include "judge/clock.h"
#include "judge/last.h"
#include "judge/word.h"
#include "run/lane.h"

enum scope { SCOPE_BLOCK, SCOPE_DEVICE };

/* A set of accesses and operations that have happened, as two vector clocks. */
struct knowledge {
    clock_number accesses;   /* a thread's (a warp's, a block's), up to a time */
    clock_number operations; /* a chain's (struct order), up to the number of a write */
};

/* What a thread hands over by its next write: its view at its last fence. The times stay outside
 * the clocks until an operation needs them, because most fences of a kernel have none. */
struct release {
    struct knowledge known; /* what the thread knew of others */
    uint32_t own;           /* its own accesses before this time; 0: it passed no fence */
    uint32_t warp;          /* its warp's */
    uint32_t block;         /* its block's */
    bool fresh;             /* of a fence since the last barrier: it has all that older ones have */
};

/* A thread's view: what is ordered before its next access, what a fence would add, and what its
 * next write hands over. The last operation that it saw stands beside the clocks, because most
 * threads see no other. */
struct view {
    uint32_t time;
    uint32_t warp_time;             /* behind the last __syncwarp of its whole warp */
    uint32_t saw_chain, saw_number; /* the last operation that it saw; 0: none, or in `current` */
    struct knowledge current;       /* ordered before its next access */
    struct knowledge acquirable[2]; /* by scope: seen, and ordered before it behind a fence */
    struct release release[2];      /* by scope */
};

/* A thread of the block. */
struct thread {
    struct view view;        /* if its epoch is the block's; else struct sync, behind_barrier */
    uint32_t met[WARP_SIZE]; /* a lane's accesses before this time are ordered before its next */
    bool fenced;             /* as in struct order */
    bool operated;           /* it made an operation */
    uint32_t round;          /* as in struct order */
    uint32_t last_fence;     /* the time */
    uint32_t section;        /* of a lock that it has (sync.c); 0: it has none */
    uint8_t fences;          /* passed in the section: the widest scope + 1; a barrier counts as the
                                device's */
};

/* The state of the block that runs in one place (run/block.h); all zero at first. */
struct sync {
    uint32_t number; /* the block's index */
    uint32_t epoch;  /* grows with each barrier */
    unsigned threads;
    struct view
        behind_barrier; /* the view of each thread that has done nothing since the last one */
    uint32_t epoch_of[MAX_LANES]; /* equal to `epoch`: the thread has a view of its own */
    uint16_t touched[MAX_LANES];  /* the threads that have one */
    unsigned touches;
    bool scopes; /* does the program have fences whose scope is the block? */
    struct thread thread[MAX_LANES];
    struct last last[MAX_LANES]; /* the threads' last operations */
};

void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads);
void sync_block_end(struct sync *sync);

/* All threads of the block meet. */
void sync_barrier(struct sync *sync);

/* Those lanes of the warp meet that are in the mask. */
void sync_warp(struct sync *sync, unsigned warp, unsigned mask);

/* The thread passes a fence. */
void sync_fence(struct sync *sync, unsigned thread, enum scope scope);

/* The section of a lock that the thread is in and in which it has passed no fence of the device's
 * scope; 0: none. */
static inline uint32_t sync_unfenced(const struct sync *sync, unsigned thread)
{
    const struct thread *t = &sync->thread[thread];

    return t->section && sync->epoch_of[thread] == sync->epoch && t->fences <= SCOPE_DEVICE
               ? t->section
               : 0;
}

/* The thread has made an atomic or volatile access to the word of this name: sets the access's
 * order. taken_from: as of order_of (run/event.h). Returns the chain of the operation before it on
 * that word, 0: there was none. */
uint32_t sync_operation(struct sync *sync, unsigned thread, uint64_t word, enum effect effect,
                        uint32_t taken_from, struct access *access);

/* The thread's view now. */
static inline const struct view *sync_view(const struct sync *sync, unsigned thread)
{
    return sync->epoch_of[thread] == sync->epoch ? &sync->thread[thread].view
                                                 : &sync->behind_barrier;
}

/* Does a thread with this view know of the operation of this number of a chain, or will it by its
 * next fence? */
bool sync_saw(const struct view *view, uint32_t chain, uint32_t number);

/* An access to a word, which is compared with those on the word's list. */
struct look {
    const struct launch *launch;
    const struct sync *sync;
    const struct touch *touch;
    struct entry *word;      /* the word's list */
    uint64_t name;           /* the word's, as words_name has it */
    struct access now;       /* what it leaves on the list */
    uint32_t lanes;          /* the lane that makes it, as a bit */
    uint32_t before;         /* the chain of the operation before it on the word; 0: none */
    const struct view *view; /* its thread's, before the access */
    bool fences;             /* does the program have fences? */
};

/* The lanes of an older access that are not ordered before this one; none if that is no longer
 * known. in_order: this access is a volatile load or an atomic. */
unsigned sync_unordered(const struct look *look, const struct access *old, unsigned lanes,
                        bool in_order);

/* The lanes that lack the fence behind taking a lock, though this access comes behind theirs. */
unsigned sync_lacks_fence(const struct look *look, const struct access *old, unsigned lanes);

/* The launch has ended: forgets all. False: there was too much to keep, or to compare. */
bool sync_forget(void);
