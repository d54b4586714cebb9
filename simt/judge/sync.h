/* Who knows of whose accesses: what barriers, __syncwarp, fences and atomics order between threads,
 * told in the order in which it happens.
 *
 * Every thread has a time, which its accesses are stamped with. Where threads meet they go on at a
 * later time than any of theirs: what is stamped earlier is ordered before what follows.
 *
 * Fences and atomics hand order over (CUDA C++ Programming Guide, "Memory Fence Functions"; PTX
 * ISA, "Memory Consistency Model"):
 *   - A thread that passes a fence and then writes X by an operation that others can see (an atomic
 *     or volatile one) hands over what was ordered before its fence.
 *   - A thread whose operation on X sees that write, directly or through further atomics on X, and
 *     that then passes a fence or a __syncthreads takes it over.
 *   - The operation on X itself, not what came before it, is ordered before whatever follows an
 *     operation that sees it.
 *   - A volatile load, or an atomic, is made in order: it needs no fence between itself and the
 *     operation that saw.
 *   - Both fences, and each two operations in a row, must have a scope that holds both threads.
 *   - Whoever takes a lock, by a compare-and-swap or an exchange, needs that fence also where
 * nobody had the lock before, in the order of this run: what it does without one races with what
 * the next one does that took it from the same value, unless more than the lock orders the two.
 *   - __syncthreads and __syncwarp pass on what each of their threads knows. Also that it passed a
 *     fence before, or has seen what was handed over: __threadfence is PTX's fence.sc, and fences
 *     with these between them cannot come in the other order. So the operation of either side may
 *     be another thread's than the fence. */
#ifndef SIMT_SYNC_H
#define SIMT_SYNC_H

#include "judge/clock.h"
#include "judge/last.h"
#include "judge/word.h"
#include "run/lane.h"

enum scope { SCOPE_BLOCK, SCOPE_DEVICE };

/* What is known to have happened: accesses, by who made them, up to which time; and operations, by
 * their chains, up to which of its writes. */
struct knowledge {
    clock_number accesses, operations;
};

/* What a thread hands over, since it passed a fence: what it knew then; and what was done before
 * these times by itself, its warp and its block, which is put into clocks only if it comes to that.
 */
struct gift {
    struct knowledge known;
    uint32_t own, warp, block;
    bool fresh; /* of a fence since the last barrier: it has all that older ones have */
};

/* How a thread stands. known: what is ordered before its next access, and, kept beside it because
 * most threads come to no other, the last operation that it saw: its chain and number there. By
 * scope: what others handed over to it, which it takes over at its next fence; and what it hands
 * over. */
struct stands {
    uint32_t time, warp_time; /* warp_time: behind the last __syncwarp of its whole warp */
    uint32_t saw_chain, saw_number;
    struct knowledge known, seen[2];
    struct gift gives[2];
};

/* The state of the block that runs in one place (run/block.h); all zero at first. */
struct sync {
    uint32_t number, epoch; /* the block's index; grows with each barrier */
    unsigned threads;
    struct stands passed; /* how all stand behind the last barrier, but for those touched since */
    uint32_t epoch_of[MAX_LANES]; /* of threads: if it is this one, their own state counts */
    uint16_t touched[MAX_LANES];
    unsigned touches;
    bool scopes; /* does the program have fences whose scope is the block? */
    struct thread {
        struct stands stands;
        uint32_t
            met[WARP_SIZE];    /* of its warp's lanes what is earlier is before what it does now */
        bool fenced, operated; /* fenced: as in struct order; operated: it made an operation */
        uint32_t round, last_fence; /* as in struct order; the time */
        uint32_t section; /* between taking a lock and the next operation on it (sync.c); 0: none */
        uint8_t passed;   /* there, of fences: the highest scope + 1, at barriers the device's */
    } thread[MAX_LANES];
    struct last last[MAX_LANES];
};

void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads);
void sync_block_end(struct sync *sync);

/* All threads of the block meet; the lanes of the warp that have come, of those of the mask. */
void sync_barrier(struct sync *sync);
void sync_warp(struct sync *sync, unsigned warp, unsigned mask);
void sync_fence(struct sync *sync, unsigned thread, enum scope scope);

/* The section of a lock that the thread is in and in which it has passed no fence of the device's
 * scope; 0: none. */
static inline uint32_t sync_unfenced(const struct sync *sync, unsigned thread)
{
    const struct thread *t = &sync->thread[thread];

    return t->section && sync->epoch_of[thread] == sync->epoch && t->passed <= SCOPE_DEVICE
               ? t->section
               : 0;
}

/* The thread has made an atomic or volatile access to the word of this name, which `takes`: sets
 * its order. Returns the chain of the operation before it on that word, 0: there was none. */
uint32_t sync_operation(struct sync *sync, unsigned thread, uint64_t word, enum effect effect,
                        uint32_t takes, struct access *access);

/* How a thread stands now. */
static inline const struct stands *sync_stands(const struct sync *sync, unsigned thread)
{
    return sync->epoch_of[thread] == sync->epoch ? &sync->thread[thread].stands : &sync->passed;
}

/* Does who stands so know of the operation of this number of a chain, or will by its next fence? */
bool sync_saw(const struct stands *s, uint32_t chain, uint32_t number);

/* An access to a word that is compared with those on its list: what it leaves there, by which lane,
 * and how its thread stood. name: as words_name has it. before: the chain of the operation before
 * it on the word, 0: there was none. fences: has the program any? */
struct look {
    const struct launch *launch;
    const struct sync *sync;
    const struct touch *touch;
    struct entry *word;
    uint64_t name;
    struct access now;
    uint32_t lanes, before;
    const struct stands *stands;
    bool fences;
};

/* Of an older access's lanes those that are not ordered before this one; none, if that is no longer
 * known. in_order: by a volatile load or an atomic. */
unsigned sync_unordered(const struct look *look, const struct access *old, unsigned lanes,
                        bool in_order);

/* Of these lanes those that lack the fence behind taking a lock, though this access comes behind
 * theirs. */
unsigned sync_lacks_fence(const struct look *look, const struct access *old, unsigned lanes);

/* The launch has ended: forgets all. False: it has become too much to be kept, or to be compared.
 */
bool sync_forget(void);

#endif
