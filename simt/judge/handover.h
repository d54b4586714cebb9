/* Order that fences and atomics hand over from thread to thread. Pure.
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
 * A launch keeps its synchronisation and, of words that may be in a race, all accesses (history.h).
 * When it has ended, pairs of these are asked about (question.h), a replay of all synchronisation
 * answers (replay.h), and critical sections are tried in the other order, too (swap.h). */
#ifndef SIMT_HANDOVER_H
#define SIMT_HANDOVER_H

#include "judge/history.h"

/* Two accesses that nothing orders. flag: both are volatile or atomic, the writer passed a fence
 * before and the reader one after: what lies behind is ordered, the word itself is not. */
struct unordered {
    const struct past *a, *b;
    unsigned lane[2];
    bool flag;
    bool unwritten; /* no pair: a reads a word that may be unwritten. b is the first access to it,
                       if that is a store, else a itself */
};

/* Judges all contended words and hands every pair to told. False when memory or the bound on pairs
 * was reached, and not all was judged. Changes the arrays. */
bool handover_judge(struct history *history,
                    void (*told)(void *context, const struct unordered *pair), void *context);

#endif
