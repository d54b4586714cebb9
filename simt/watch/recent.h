/* The arrays that a block's warps touched last, one an instruction: mostly it touches the same
 * array again, and a warp's request then needs neither a lock nor a search. */
#ifndef SIMT_RECENT_H
#define SIMT_RECENT_H

#include "watch/space.h"

enum { RECENT_ARRAYS = 64 };

struct recent {
    unsigned launch;     /* whose shared memory it is */
    unsigned long frees; /* as memory_frees says */
    unsigned epoch;      /* what was kept in an earlier one no longer holds */
    struct recent_array {
        struct range range;
        enum count_space space;
        unsigned epoch;
    } array[RECENT_ARRAYS]; /* by instruction */
};

/* A block of this launch begins, on the OS thread that keeps these. All zero is an empty one. */
void recent_block_begin(struct recent *recent, unsigned launch);

/* Is all that the lanes touch known to lie within one array? If so *space becomes its space. What
 * has been freed meanwhile is forgotten, so this comes before recent_keep of the same event. */
bool recent_holds(struct recent *recent, const struct warp_event *event, enum count_space *space);

/* Keeps an array that the event touched. */
void recent_keep(struct recent *recent, const struct warp_event *event, struct range range,
                 enum count_space space);

#endif
