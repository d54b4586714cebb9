/* How counters are printed: as a table, with a column for each launch and a line for each figure,
 * or by source line. */
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

enum { SIZE_TEXT = 40 };

/* A launch: its size as it is shown, and its figures. */
struct table_launch {
    char grid[SIZE_TEXT], block[SIZE_TEXT];
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

/* "64", "64x2" or "64x2x2". Returns text. */
const char *size_text(dim3 size, char text[SIZE_TEXT]);

/* A row of CSV for each launch, source line, space and operation. step goes into the first column.
 */
void lines_print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                     const char *step);

/* The kernels' source with the counters beside each line: the figures are those of all the launches
 * together. Files that cannot be read are told. */
void lines_annotate(FILE *file, const struct counted_launch *launches, size_t count);

#endif
