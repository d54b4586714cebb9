/* The table of counters: a column for each launch, a line for each figure. */
#ifndef SIMT_TABLE_H
#define SIMT_TABLE_H

#include "watch/count.h"

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

/* Pure: "64", "64x2" or "64x2x2". */
const char *table_size(unsigned x, unsigned y, unsigned z, char text[40]);

#endif
