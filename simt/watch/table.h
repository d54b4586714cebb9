/* How counters are printed: as a table, with a column for each launch and a line for each figure,
 * or by source line. */
#ifndef SIMT_TABLE_H
#define SIMT_TABLE_H

#include "watch/count.h"
#include "watch/source.h"

#include <stdio.h>

/* A launch's counters added up by space and operation. */
struct totals {
    struct counter of[SPACE_NONE][EVENT_KINDS];
};

/* Sets the figure that a metric's name (bench/nsight-metrics) stands for. The lanes of a space are
 * told of all its operations together. False if the table has no such figure. */
bool totals_set(struct totals *totals, const char *metric, double value);

/* A launch: its size as it is shown, and its figures. */
struct table_launch {
    char grid[40], block[40];
    struct totals totals;
};

/* So many launches have a column of their own. */
enum { TABLE_LAUNCHES = 3 };

/* Prints the first of count launches, and, when there are several, all of them together. */
void table_print(FILE *file, const struct table_launch *launches, size_t count,
                 const struct totals *all);

/* A further line of figures that have no sum: of the first launches, "-" for 0. */
void table_print_rate(FILE *file, const char *label, const char *format, const double *values,
                      size_t count);

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
