/* The counters of a program that has run. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "../exercise.h"

/* Sums over all launches: of all, and of each line of the student's file. */
struct counters {
    struct figures all;
    struct line_figures {
        int line;
        struct figures figures;
    } * line;
    size_t lines;
};

/* Reads a text as SIMT_COUNTERS=csv prints it, which it changes; lines are those of the file called
 * so. False: it is none. */
bool counters_read(char *text, const char *file, struct counters *counters);

/* The figures of a run without those of line[line]; of few_shared it takes the line's part of the
 * loads from shared memory. */
struct figures counters_without(const struct counters *counters, const struct figures *run,
                                size_t line);

/* The name of a counter, in an order to print, and its value; NULL: behind the last. */
const char *counters_named(const struct figures *figures, int index, double *value);

#endif
