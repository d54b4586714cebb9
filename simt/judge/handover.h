/* Order that fences and atomics hand over from thread to thread, as it happens.
 *
 * CUDA C++ Programming Guide, "Memory Fence Functions"; PTX ISA, "Memory Consistency Model":
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
 *     be another thread's than the fence.
 *
 * All blocks are fibers of one OS thread, so this is told in the order in which it happens, by the
 * hooks. The accesses come later, when their warp's logs are merged: each thread keeps where it
 * stood behind each of its synchronisations until the merged events have come as far. */
#ifndef SIMT_HANDOVER_H
#define SIMT_HANDOVER_H

#include "judge/standing.h"
#include "run/lane.h"

enum effect { EFFECT_READ, EFFECT_CHANGE, EFFECT_STORE, EFFECT_SAME }; /* as of EVENT_ORDER */

/* The state of the block that runs in one place. NULL where the program has no fences. */
struct handover *handover_new(void);
void handover_block_begin(struct handover *handover, uint32_t block, unsigned threads);
void handover_block_end(struct handover *handover);

/* ---- as it happens ---- */

void handover_fence(struct handover *handover, unsigned thread, int scope);
void handover_syncwarp(struct handover *handover, unsigned thread, unsigned mask);

/* An atomic or volatile access to the word of this name, just made; is_cas: it is an atomicCAS. */
void handover_operation(struct handover *handover, unsigned thread, uint64_t word, int scope,
                        enum effect effect, bool is_volatile, bool is_cas);

/* The block meets at a barrier, and all that it did has been merged. */
void handover_barrier(struct handover *handover);

/* ---- as it is merged ---- */

/* These lanes' next synchronisation of their own has been merged. */
void handover_merged(struct handover *handover, unsigned warp, unsigned lanes);

/* Where the thread stands; where it does behind the operation that is being merged. */
uint32_t handover_now(const struct handover *handover, unsigned thread);
uint32_t handover_behind(const struct handover *handover, unsigned thread);

/* Of these lanes of a warp, those that stand where the first does; operation: and whose operation,
 * which is being merged, looked at the same. One that writes is alone. */
unsigned handover_together(const struct handover *handover, unsigned warp, unsigned lanes,
                           bool operation);

/* Two sections of one lock may come in either order. In the order of this run the first one need
 * not take anything over; were it the second, it would lack the fence that belongs behind its
 * atomicCAS. Is it so with an access that stands in the first, and another one that stands in the
 * second, and did nothing but the lock order the two sections? */
bool handover_lacks_fence(const struct standing *first, const struct happened *access,
                          const struct standing *second, uint32_t second_block);

/* Did the thread pass a fence, or a barrier, after this time? */
bool handover_followed(uint32_t block, unsigned thread, uint32_t time);

/* The launch has ended. */
void handover_forget(void);

#endif
