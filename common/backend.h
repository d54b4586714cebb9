/* The backend that the harness was compiled for: a GPU, by nvcc, or the CPU backend (simt/). No
 * other file of the harness knows; all ask here. */
#ifndef BACKEND_H
#define BACKEND_H

#include "job.h"
#include "timing.h"

#include <stdbool.h>

struct backend {
    const char *name;      /* in the CSV, and what make calls it: BACKEND=cpu, BACKEND=cuda */
    const char *title;     /* for people */
    const char *default_n; /* as one would type it */
    bool simulated;        /* it counts what a GPU would do, and has no clock; the other times it */
};
extern const struct backend *const backend, *const other_backend;

/* ---- steering the CPU backend, and its counters; on a GPU nothing happens ---- */

/* The seed that shuffles blocks and lanes, -1: as the environment says;
 * the trace's file, NULL: likewise. Returns NULL, or why no trace can be written there. */
const char *backend_steer(int order, const char *trace);

/* Names of the job's memory in traces. */
void backend_name_arrays(const struct job *job);

/* job_poison, and to the backend's checks what was poisoned is as good as never written. */
void backend_poison(const struct job *job);

/* Counts, and traces if asked, what the following launches do, or not. */
void backend_count(bool on);

/* Has a kernel been launched since the last call, the first time since the start? Always true on a
 * GPU, which does not tell. */
bool backend_launched(void);

/* Prints on stdout what was counted: totals of each launch; a CSV row a source line, with the
 * program's number in the first column; or the kernels' source with figures beside it. */
enum counters { COUNTERS_TABLE, COUNTERS_CSV, COUNTERS_ANNOTATE };
void backend_print_counters(enum counters style, const char *number);

/* timing_measure; job NULL: a launch that does nothing. On the CPU backend nothing is timed: reps
 * is 0. */
struct timing backend_time(const struct job *job, int reps, const struct conditions *conditions);

#endif
