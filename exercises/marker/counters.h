/* The counters of a program that has run, by name. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

/* A row of SIMT_COUNTERS=csv. */
struct counters_row {
    unsigned launch, blocks, threads; /* threads: of a block */
    int line;                         /* of the student's file, 0: elsewhere */
    char space[12], op[12];
    double requests, lanes, sectors, wavefronts, bank_conflicts;
};

struct counters {
    struct counters_row *row;
    size_t rows;
};

/* Reads the text, as SIMT_COUNTERS=csv prints it; lines are those of the file called so. False: it
 * is none. counters_free frees what it took. */
bool counters_read(const char *text, const char *file, struct counters *counters);
void counters_free(struct counters *counters);

/* The sum of a counter over all launches, of one line alone unless that is 0. Names are
 *
 *     global_load_sectors, shared_store_bank_conflicts: of space, operation and what is counted,
 *         global or shared; load, store or atomic; requests, lanes, sectors (global), wavefronts
 * and bank_conflicts (shared) global_sectors, shared_requests: of all three operations syncthreads,
 * syncwarps, shuffles, votes, reductions: warps that came to one branches, uniform_branches: by
 * warps; those of them that all lanes took alike launches, blocks, threads: of the whole run; they
 * have no lines
 *
 * False: there is none of that name, which is not ended by a 0. */
bool counters_get(const struct counters *counters, const char *name, size_t length, int line,
                  double *value);

/* The names of counters, in an order to print; NULL after the last. */
const char *counters_name(int index);

#endif
