/* Where the threads of a launch that gets no further are, by source lines. */
#pragma once

#include "run/observer.h"

/* Runs the statement behind it for each living lane of the stall's blocks. */
#define STALLED_LANES(stall, lane)                                                                 \
    for (int b_ = 0; b_ < (stall)->count; b_++)                                                    \
        for (const struct lane *lane = (stall)->blocks[b_]->lane;                                  \
             lane < (stall)->blocks[b_]->lane + (stall)->launch->threads; lane++)                  \
            if (lane_is_alive((stall)->blocks[b_], lane->index))

/* Does the lane wait for other threads? */
bool places_waits(const struct lane *lane);

/* The first lane that waits at a grid's barrier; NULL: none does. */
const struct lane *places_at_grid(const struct stall *stall);

/* Where the threads of the blocks that have begun are, the most first: "31 threads wait at
 * __syncthreads (x.cu:12), 1 thread is at work at x.cu:10". */
void places_text(const struct stall *stall, char *text, size_t room);
