/* The launches that were counted. */
#ifndef SIMT_LAUNCHES_H
#define SIMT_LAUNCHES_H

#include "run/lane.h"
#include "watch/count.h"

struct counted_launch {
    dim3 grid, block;
    struct count_table table;
};

/* Keeps a launch, as the last so far, with its counters, whose memory it takes over. Ends the
 * program when memory is short. */
void launches_add(const struct launch *launch, struct count_table table);

/* All so far, first to last. They belong to the module. */
const struct counted_launch *launches_all(size_t *count);

#endif
