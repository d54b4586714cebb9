/* The launches that were counted, and their counters by source line. */
#ifndef SIMT_LAUNCHES_H
#define SIMT_LAUNCHES_H

#include "run/lane.h"
#include "watch/count.h"
#include "watch/source.h"

#include <stdio.h>

struct counted_launch {
    dim3 grid, block;
    struct count_table table;
};

/* Keeps a launch, as the last so far, with its counters, whose memory it takes over. Ends the
 * program when memory is short. */
void launches_add(const struct launch *launch, struct count_table table);

/* All so far, first to last. They belong to the module. */
const struct counted_launch *launches_all(size_t *count);

/* The kernels' source with the counters beside each line: the figures are those of all the launches
 * together. Files that cannot be read are told. */
void annotate_print(FILE *file, const struct counted_launch *launches, size_t count);

struct counted_line {
    struct source_line place;
    struct counter sum; /* of one operation on this line */
};

/* What a table has counted, added up by source line, space and operation, and sorted by these. The
 * caller frees. Ends the program when memory is short. */
struct counted_line *lines_of(const struct count_table *table, size_t *count);

#endif
