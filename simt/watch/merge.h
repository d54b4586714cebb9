/* From lanes to warps: pure.
 *
 * The lanes of a warp ran one after the other, and each left a log. A GPU runs them together: it
 * executes an instruction once for all lanes that stand at it. Merging replays that. The lane at
 * the smallest position in the program goes first, together with all lanes at the same position:
 * they make one warp-level event. So lanes that left a loop early wait behind it for the lanes that
 * are still inside, as on SIMT hardware that reconverges. */
#pragma once

#include "run/event.h"

#include <stddef.h>

enum { MERGE_LANES = 32 };

/* The key of the event that ends a lane's events. */
#define MERGE_END UINT64_MAX

/* One instruction, executed once by the lanes of a mask. */
struct warp_event {
    uint64_t key;
    unsigned kind, depth, size;    /* as in struct event */
    unsigned extra;                /* as in struct event, of the first lane */
    unsigned lanes;                /* the mask */
    bool alike;                    /* all of these lanes have one address */
    uint64_t address[MERGE_LANES]; /* of the lanes in the mask, */
    uint64_t least, most;          /* and the least and the most of them */
    unsigned behind;               /* so far behind each lane's pointer its event is */
};

/* Merges the events at next[0 … 31] until all lanes are at their MERGE_END, or a lane in `running`
 * is: such a lane may still come to a position in front of the others'. Hands each warp event to
 * emit(context, event), which may change it, and moves the pointers behind the merged events, now
 * and then. */
void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, struct warp_event *event), void *context);

/* ---- cost.c: the cost of a warp-level request, counted as by Nsight Compute: pure ---- */

struct cost {
    uint64_t requests; /* instructions that go to memory: 1, or the rounds of a loop */
    uint64_t lanes;    /* active lanes, summed over the requests */
    uint64_t sectors, wavefronts, bank_conflicts;
    uint64_t combined; /* 1: nvcc lets one lane make the atomic of all */
};

/* The cost of a warp's access to shared or global memory.
 *
 * Global memory: the distinct 32-byte sectors that the lanes touch. Atomics on one word follow each
 * other, so of an atomic each sector counts as often as the most lanes that use one of its words.
 *
 * Shared memory has 32 banks of 4-byte words. A wavefront gives one word of each bank, so a request
 * takes as many wavefronts as the most distinct words that it touches in one bank. An access of 8
 * bytes goes by half warps, one of 16 bytes by quarter warps, and the wavefronts of these parts add
 * up. A load goes by parts of twice that size if all active lanes t and t ^ 1, or all t and t ^ 2,
 * have one address. Bank conflicts are the wavefronts above one for each part with an active lane.
 *
 * Shared memory has instructions for atomics on 4-byte integers, exchanges and compare-and-swaps.
 * Lanes with one word follow each other: a part takes as many wavefronts as the most lanes that use
 * one bank, and twice as many for a compare-and-swap. Where a program adds a 1 that the compiler
 * knows, and does not use the result, an instruction counts the lanes of each word
 * (ATOMS.POPC.INC), which costs what a store does.
 *
 * Other atomics (EXTRA_LOOPS) become a loop around a compare-and-swap. Each round is a request: it
 * takes two wavefronts per part, and in each part the first lane of each bank succeeds; with 64
 * bits it fails if a part before it has just changed its word. The loop ends when all lanes have
 * succeeded. In front of each round its lanes load their words: adds the cost to loads. */
struct cost cost_of(const struct warp_event *event, bool shared, struct cost *loads);
