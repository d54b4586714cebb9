/* The counters of a program that has run. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "../exercise.h"

/* Lanes of a warp: loads by fewer at a time are the work of a few threads alone. */
enum { FEW = 8 };

/* Sums over all launches: of all, and of each line of the student's file. few: sectors that were
 * loaded from global memory where fewer than FEW lanes of a warp load at a time, on an average over
 * a line in a launch. */
struct counters {
    struct figures all;
    double few;
    struct line_figures {
        int line;
        struct figures figures;
    } * line;
    size_t lines;
};

/* Reads a text as SIMT_COUNTERS=csv prints it, which it changes; lines are those of the file called
 * so. False: it is none. */
bool counters_read(char *text, const char *file, struct counters *counters);

/* The name of a counter, in an order to print, and its value; NULL: behind the last. */
const char *counters_named(const struct figures *figures, int index, double *value);

#endif
