/* The counters of a program that has run, by name. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

/* What a row has. Those of a launch are in its first row alone. */
enum counters_column { REQUESTS, LANES, SECTORS, WAVEFRONTS, CONFLICTS, LAUNCHES, BLOCKS, THREADS };

/* A row of SIMT_COUNTERS=csv. line: of the student's file, 0: elsewhere. */
struct counters_row {
    unsigned launch;
    int line;
    char space[12], op[12];
    double figure[THREADS + 1];
};

struct counters {
    struct counters_row *row;
    size_t rows;
};

/* Reads the text, as SIMT_COUNTERS=csv prints it; lines are those of the file called so. False: it
 * is none. counters_free frees what it took. */
bool counters_read(const char *text, const char *file, struct counters *counters);
void counters_free(struct counters *counters);

/* The sum of a counter over all launches, of one line alone unless that is 0. What names there are:
 * exercises/FORMATS.md. False: there is none of that name. */
bool counters_get(const struct counters *counters, const char *name, int line, double *value);

/* Elements that were loaded from global memory where fewer than `few` lanes of a warp load at a
 * time, on an average over a line in a launch. */
double counters_few_lanes(const struct counters *counters, int few);

/* The names of counters, in an order to print; NULL after the last. */
const char *counters_name(int index);

#endif
