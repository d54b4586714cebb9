/* A kernel's source with its counters beside each line. */
#ifndef SIMT_ANNOTATE_H
#define SIMT_ANNOTATE_H

#include "watch/launches.h"
#include "watch/count.h"
#include "watch/source.h"

#include <stdio.h>

/* The figures are those of all the launches together. Files that cannot be read are told. */
void annotate_print(FILE *file, const struct counted_launch *launches, size_t count);

struct counted_line {
    struct source_line place;
    struct counter sum; /* of one operation on this line */
};

/* What a table has counted, added up by source line, space and operation, and sorted by these. The
 * caller frees. Ends the program when memory is short. */
struct counted_line *lines_of(const struct count_table *table, size_t *count);

#endif
