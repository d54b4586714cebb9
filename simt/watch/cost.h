/* What a warp-level request costs the memory: pure. Definitions as Nsight Compute counts them. */
#pragma once

#include "watch/merge.h"

/* lanes: of all its instructions together; combined: nvcc makes one lane's of it. */
struct cost {
    unsigned requests, lanes, sectors, wavefronts, bank_conflicts, combined;
};

/* What an access of a warp, to shared or global memory, costs.
 *
 * Global memory: distinct 32-byte sectors that the lanes touch. Atomics of lanes with one word
 * follow each other, so a sector counts as often as the most lanes that one of its words has.
 *
 * Shared memory has 32 banks of 4-byte words and gives one word of each bank in a wavefront: the
 * largest number of distinct words in one bank. Accesses of more than 4 bytes go by parts, whose
 * wavefronts add up: of 8 bytes by half warps, of 16 bytes by quarter warps. But a load goes by
 * parts of twice that size if all active lanes t and t ^ 1, or all t and t ^ 2, have one address.
 * Bank conflicts are the wavefronts above one for each part with a lane in it.
 *
 * Shared memory can do atomics on 4-byte integers, exchanges and compare-and-swaps. A part takes as
 * many wavefronts as the most lanes that one bank has, as lanes with one word follow each other; a
 * compare-and-swap twice as many. Where a program adds a 1 that the compiler knows, and does not use
 * the result, an instruction counts the lanes of each word (ATOMS.POPC.INC), which costs what a
 * store does.
 * Other atomics (EXTRA_LOOPS) are a loop around one, in which each bank serves one lane of each
 * part at a time, by two wavefronts a part, until all lanes have succeeded: a lane of 64 bits does
 * not where a part before has changed its word. Each round is a request. */
struct cost cost_of(const struct warp_event *event, bool shared);
