/* Synchronisation: what orders accesses of different threads (happens-before). Barriers,
 * __syncwarp, fences and operations are told here in the order in which they happen, and change the
 * threads' views. README.md sets the field's words beside the names here.
 *
 * Every thread has a logical time, with which its accesses are stamped. Threads that meet at a
 * barrier go on at a later time than any of theirs: an access with an earlier stamp is ordered
 * before what follows.
 *
 * Rules of fences and atomics (CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA,
 * "Memory Consistency Model"):
 *   - Release: a thread passes a fence and then writes X by an operation (an atomic or a volatile
 *     store). It hands over what was ordered before its fence.
 *   - Acquire: a thread's operation on X sees that write, directly or through further atomics on X,
 *     and the thread then passes a fence or a __syncthreads.
 *   - The operation on X itself, but not what came before it, is ordered before whatever follows an
 *     operation that sees it.
 *   - Volatile loads and atomics are made in order: they need no fence behind the operation that
 *     saw.
 *   - Both fences, and each two operations in a row, must have a scope that holds both threads.
 *   - A thread that takes a lock needs the acquiring fence even if it comes first: see below.
 *   - __syncthreads and __syncwarp pass on what each of their threads knows; also that a thread
 *     passed a fence before, or has seen what was handed over. So one thread may make the operation
 *     and another one pass the fence. Reason: __threadfence is PTX's fence.sc, and fences with
 * these operations between them cannot come in the other order.
 *
 * Critical sections are what a thread does between taking a lock and its next operation on it.
 * Rule: a thread that takes a lock, by a compare-and-swap or an exchange, passes a fence behind it,
 * even where nobody had the lock before it in the order of this run. In another order it comes
 * second, and without the fence nothing orders what it does behind what the first did. So two
 * sections that took the lock from the same value race if the first lacks that fence, unless more
 * than the lock orders them. (Two taken from different values could not change places.) Source: an
 * acquire pattern is an operation and a fence behind it. */
#pragma once

#include "judge/words.h"
#include "run/lane.h"

/* ---- vector clocks (vector_clock.c): pure ----
 *
 * Maps from keys to times.
 *
 * A clock never changes: a number names it, and a clock that is made of others only remembers
 * which. Its map is built when it is first looked into; most clocks never are. Maps are radix trees
 * that share equal parts, so joining two costs as much as they differ. */
typedef uint32_t vector_clock; /* 0: the empty clock */

/* The key's time; 0: the clock does not have the key. */
uint32_t vector_clock_at(vector_clock clock, uint64_t key);

/* Joins another clock, or one key with its time, to a clock: of each key the later time counts. */
void vector_clock_join(vector_clock *clock, vector_clock other);
void vector_clock_add(vector_clock *clock, uint64_t key, uint32_t time);

/* Was there no room for a clock, or too much to join? From then on clocks are incomplete. */
bool vector_clock_lack(void);

/* Forgets all clocks that were made after this one (0: all of them). */
void vector_clock_drop(vector_clock last);

/* Forgets all clocks. */
void vector_clock_forget(void);

/* ---- what a thread knows ----
 *
 * That is, which accesses and operations of other threads are ordered before its next access
 * (happens-before), as vector clocks. A clock has a time for each block, each warp and each thread:
 * accesses of that block, warp or thread with an earlier time are known. And it has a number for
 * each chain of operations (struct order): the chain's writes up to that number are known. */

enum scope { SCOPE_BLOCK, SCOPE_DEVICE };

/* A thread's view. The last operation that it saw stands beside the clock, because most threads see
 * no other. The thread's next write by an operation releases what was ordered before its last
 * fence. The block's own accesses are added only then, because behind most fences of a kernel comes
 * none. */
struct view {
    uint32_t time;                  /* the thread's logical time */
    uint32_t warp_time;             /* the time behind the last __syncwarp of its whole warp */
    uint32_t saw_chain, saw_number; /* the last operation that it saw; 0: none but in `current` */
    vector_clock current;           /* ordered before its next access */
    vector_clock acquirable[2];     /* by scope: seen, and ordered before it behind a fence */
    vector_clock released[2];       /* by scope of the fence: ordered before that */
    uint32_t fence[2];              /* its time, if the thread met no other since; else 0 */
};

/* Does the thread know of this operation? view_saw: or will it behind its next fence? */
static inline bool view_saw_last(const struct view *view, uint32_t chain, uint32_t number)
{
    return view->saw_chain == chain && view->saw_number >= number;
}
bool view_saw(const struct view *view, uint32_t chain, uint32_t number);

/* Those of the lanes whose access is not known. */
unsigned view_unordered(vector_clock known, const struct access *access, unsigned lanes);

/* ---- what changes it ---- */

/* The critical section that a thread is in. */
struct holding {
    uint32_t section; /* its number; 0: none */
    uint8_t fences;   /* widest scope of the fences passed in it, plus 1; 0: none. A barrier counts
                         as the device's */
};
enum { HOLDING_FENCED = SCOPE_DEVICE + 1 };

/* A thread's last write by an operation (words.h). */
struct last {
    uint32_t chain;  /* as in struct order */
    uint32_t number; /* as in struct order; 0: the thread made no such write */
    uint32_t time;   /* the thread's logical time then */
    uint32_t fence;  /* once its block has ended: the time of the thread's last fence or barrier; 0:
                        the thread made no operation */
};

/* A thread of the block. */
struct thread {
    struct view view;        /* if its epoch is the block's; else struct sync, behind_barrier */
    uint32_t met[WARP_SIZE]; /* a lane's accesses before this time are ordered before its next */
    bool fenced;             /* as in struct order */
    bool operated;           /* it made an operation in this block */
    uint32_t round;          /* as in struct order */
    uint32_t last_fence;     /* time of its last fence; 0: none */
    struct holding holding;  /* the lock that it holds */
};

/* The state of the block that runs in one place (run/block.h); all zero at first. */
struct sync {
    uint32_t number;              /* the block's linear index */
    uint32_t epoch;               /* grows by 1 with each barrier, from block to block, too */
    unsigned threads;             /* how many the block has */
    struct view behind_barrier;   /* of each thread that has done nothing since the last barrier */
    uint32_t epoch_of[MAX_LANES]; /* equal to `epoch`: the thread has a view of its own */
    uint32_t phase;   /* likewise, but for barriers to which threads come by barrier_arrive */
    uint32_t arrived; /* the time of all threads behind the next barrier, and until then of those
                         that have come to it by barrier_arrive; 0: there are none */
    bool scopes;      /* the program has fences whose scope is the block */
    struct thread thread[MAX_LANES];
    struct last last[MAX_LANES]; /* the threads' last writes by operations */
};

void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads);
void sync_block_end(struct sync *sync);

/* All threads of the block meet. */
void sync_barrier(struct sync *sync);

/* The thread comes to the block's next barrier by barrier_arrive: that does not order what it does
 * until it waits there, unless it passes a fence or meets its warp in between. */
void sync_arrive(struct sync *sync, unsigned thread);

/* The lanes of the warp that the mask names meet. */
void sync_warp(struct sync *sync, unsigned warp, unsigned mask);

/* The thread passes a fence. */
void sync_fence(struct sync *sync, unsigned thread, enum scope scope);

/* The thread has made an operation on the word of this name: sets the access's order. taken_from:
 * see EVENT_ORDER (run/event.h). Returns the chain of the word's operation before it; 0: none. */
uint32_t sync_operation(struct sync *sync, unsigned thread, uint64_t word, enum effect effect,
                        uint32_t taken_from, struct access *access);

/* The thread's view now. */
static inline const struct view *sync_view(const struct sync *sync, unsigned thread)
{
    return sync->epoch_of[thread] == sync->epoch ? &sync->thread[thread].view
                                                 : &sync->behind_barrier;
}

/* The critical section that the thread is in without a fence of the device's scope; 0: none. */
static inline uint32_t sync_unfenced(const struct sync *sync, unsigned thread)
{
    const struct holding *holding = &sync->thread[thread].holding;

    return sync->epoch_of[thread] == sync->epoch && holding->fences < HOLDING_FENCED
               ? holding->section
               : 0;
}

/* The lanes of an older access that lack the fence behind taking the lock that the thread holds,
 * too. */
unsigned sync_lacks_fence(const struct sync *sync, unsigned thread, const struct access *old,
                          unsigned lanes);

/* The launch has ended: forgets all. */
void sync_forget(void);

/* ---- last.c: the last write by an operation of each thread of a launch ---- */

/* The block begins. Until last_end its threads' entries are at `running`, which is the caller's. */
void last_begin(uint32_t block, const struct last *running);

/* The block, of so many threads, has ended: keeps a copy of `running`. Does nothing for a block
 * that never began. */
void last_end(uint32_t block, unsigned threads);

/* Has the block ended, without a write by an operation after this time? Then no access of another
 * block can be ordered behind what it did at this time. */
bool last_released_nothing(uint32_t block, uint32_t since);

/* The thread's entry; all zero: it made no such write. */
struct last last_of(uint32_t block, unsigned thread);

/* The launch has ended: forgets all. */
void last_forget(void);
