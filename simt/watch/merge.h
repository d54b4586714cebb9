/* From lanes to warps: pure.
 *
 * The lanes of a warp ran one after the other, each leaving a log. A GPU runs them together: it
 * executes an instruction once for all lanes that stand at it. Merging replays that: of all lanes
 * the one at the smallest position goes first, together with all others at the same position, as
 * one warp-level event. Lanes that left a loop early thus wait behind it for those still inside,
 * which is how SIMT hardware reconverges. */
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
    unsigned extra;                /* the first lane's */
    unsigned lanes;                /* the mask */
    bool alike;                    /* all of these lanes have one address */
    uint64_t address[MERGE_LANES]; /* of the lanes in the mask; of the first one at least, where
                                      they are alike and it is no access */
};

/* Merges the events at next[0 … 31] as far as that is certain: until all lanes are at their
 * MERGE_END, or one in `running` is. Such a lane may still come to a position before the others'.
 * Each warp event is handed to emit(context, event), which may change it; the pointers move behind
 * what was merged. */
void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, struct warp_event *event), void *context);
