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
 *   - __syncthreads and __syncwarp pass on what each of their threads knows. Also that it passed a
 *     fence before, or has seen what was handed over: __threadfence is PTX's fence.sc, and fences
 *     with these between them cannot come in the other order. So the operation of either side may
 *     be another thread's than the fence. */
#ifndef SIMT_SYNC_H
#define SIMT_SYNC_H

#include "judge/clock.h"
#include "run/lane.h"

enum scope { SCOPE_BLOCK, SCOPE_DEVICE };
enum effect { EFFECT_READ, EFFECT_CHANGE, EFFECT_STORE, EFFECT_SAME }; /* as of EVENT_ORDER */

/* What an operation on a word leaves besides its time, kept as a number; 0: it is none. Of the
 * chains of operations that see each other the one before it and the one behind it; the how manieth
 * to write the word it is there, 0: it does not; had its thread passed a fence, and since then made
 * no operation but volatile stores; how many of its operations before had written a word? */
struct note {
    uint32_t before, chain, number, fence, written;
};
struct note sync_note(uint32_t number);
bool sync_same_note(uint32_t a, uint32_t b);

/* Accesses of lanes of a warp that others may know of. */
struct happened {
    uint32_t block, time, note;
    unsigned warp, lanes;
};

/* The state of the block that runs in one place (run/block.h). What threads know; a copy. */
struct sync;
struct stands;

struct sync *sync_new(void);
void sync_block_begin(struct sync *sync, uint32_t block, unsigned threads);
void sync_block_end(struct sync *sync);

/* All threads of the block meet; the lanes of the warp that have come, of those of the mask. */
void sync_barrier(struct sync *sync);
void sync_warp(struct sync *sync, unsigned warp, unsigned mask);
void sync_fence(struct sync *sync, unsigned thread, enum scope scope);

/* The thread has made an atomic or volatile access to the word of this name. *note: what it leaves.
 * Returns how the thread stood before it, good until the next call. */
const struct stands *sync_operation(struct sync *sync, unsigned thread, uint64_t word,
                                    enum scope scope, enum effect effect, bool is_volatile,
                                    uint32_t *note);

/* How a thread stands now. */
const struct stands *sync_stands(struct sync *sync, unsigned thread);

/* The time of each thread, and that when all of the block met last. They stay where they are. */
const uint32_t *sync_times(const struct sync *sync);
const uint32_t *sync_passed(const struct sync *sync);

/* Of the lanes those whose access is not ordered before what the thread, which stands so, does now.
 * in_order: by a volatile load or an atomic. */
unsigned sync_unordered(const struct sync *sync, unsigned thread, const struct stands *stands,
                        bool in_order, const struct happened *access);

/* Does who stands so know of the last operation by which that thread wrote a word, at that time or
 * later? */
bool sync_saw(const struct stands *stands, uint32_t block, unsigned thread, uint32_t since);

/* Did the thread pass a fence, or a barrier, after this time? Of threads that made operations, when
 * their block has ended. */
bool sync_followed(uint32_t block, unsigned thread, uint32_t time);

/* Has it become too much to be kept? And: the launch has ended. */
bool sync_is_full(void);
void sync_forget(void);

#endif
