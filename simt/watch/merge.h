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
    uint64_t address[MERGE_LANES]; /* of the lanes in the mask */
};

/* Merges the events at next[0 … 31] until all lanes are at their MERGE_END, or a lane in `running`
 * is: such a lane may still come to a position in front of the others'. Hands each warp event to
 * emit(context, event), which may change it, and moves the pointers behind the merged events. */
void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, struct warp_event *event), void *context);
