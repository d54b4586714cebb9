/* A kernel's source with its counters beside each line. */
#ifndef SIMT_ANNOTATE_H
#define SIMT_ANNOTATE_H

#include "watch/launches.h"

#include <stdio.h>

/* The figures are those of all the launches together. Files that cannot be read are told. */
void annotate_print(FILE *file, const struct counted_launch *launches, size_t count);

#endif
