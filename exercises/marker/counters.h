/* The counters of a program that has run. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "../exercise.h"

/* Sums over all launches. */
struct counters {
    struct figures all;
    struct line_figures {
        int line; /* of the student's file */
        struct figures figures;
    } * line;
    size_t lines;
};

/* Reads a text as SIMT_COUNTERS=csv prints it, and changes it. file: the name of the student's
 * file. False: the text is something else. */
bool counters_read(char *text, const char *file, struct counters *counters);

/* The figures of a run without those of line[line]. Of few_shared and active_masks, which are
 * counted for no line, it takes the line's part of the shared loads and of the votes. */
struct figures counters_without(const struct counters *counters, const struct figures *run,
                                size_t line);

/* The name of a counter, in an order to print, and its value; NULL: behind the last. */
const char *counters_named(const struct figures *figures, int index, double *value);

#endif
