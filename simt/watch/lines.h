/* Counters by source line. */
#ifndef SIMT_LINES_H
#define SIMT_LINES_H

#include "watch/count.h"
#include "watch/source.h"

struct counted_line {
    struct source_line place;
    struct counter sum; /* of one operation on this line */
};

/* What a table has counted, added up by source line, space and operation, and sorted by these. The
 * caller frees. Ends the program when memory is short. */
struct counted_line *lines_of(const struct count_table *table, size_t *count);

#endif
