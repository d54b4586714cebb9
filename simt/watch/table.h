/* How counters are printed: as a table, with a column for each launch and a line for each figure,
 * or by source line. */
#pragma once

#include "watch/count.h"

#include <stdio.h>

enum { SIZE_TEXT = 40 };

/* "64", "64x2" or "64x2x2". Returns text. */
const char *size_text(dim3 size, char text[SIZE_TEXT]);

/* A row of CSV for each launch, source line, space and operation. step goes into the first column.
 */
void lines_print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                     const char *step);

/* The kernels' source with the counters beside each line: the figures are those of all the launches
 * together. Files that cannot be read are told. */
void lines_annotate(FILE *file, const struct counted_launch *launches, size_t count);
