/* Times a reduction on the GPU. */
#ifndef TIMING_H
#define TIMING_H

#include "job.h"

#include <stdbool.h>

struct timing {
    int reps;
    double median_ms, min_ms, max_ms;
};

enum { MAX_GPUS = 64 };

/* Under which conditions a job is timed. */
struct conditions {
    bool hot;              /* else the caches are emptied before each repetition */
    bool gate;             /* all begins behind the gate (gate.h); for several GPUs */
    size_t l2_bytes;       /* of a GPU */
    int gpus;              /* that work on it and are this process's */
    int devices[MAX_GPUS]; /* their numbers; the first is the current one, whose clock it is */
};

/* Times a job reps times, or, if reps is 0, until 100 repetitions or one
 * second, 5 at least.
 *
 * Before, it repeats untimed for a tenth of a second, since an idle GPU runs at a low clock and
 * takes some milliseconds to raise it; but not for reps 1, which is for profilers, not for times.
 *
 * One repetition is, on the default stream: something that keeps the GPU busy, an event, the whole
 * reduction, an event. Busy, because the CPU takes longer to enqueue a small reduction than the GPU
 * to run it: on an idle GPU the events would measure the CPU. Normally that something reads more
 * than the L2 cache holds (kernels.h), so the input comes from memory, as it would in a program
 * that did anything else before. hot: it is a kernel that only waits, after the reduction itself,
 * so as much of the input as fits is in the cache; where the job destroys its input, after the copy
 * that restores it.
 *
 * gate: in front of the first event, and of what the job enqueues on the other GPUs, is the gate,
 * and in front of that all caches are emptied. It opens when everything is enqueued. So the time is
 * that from the moment when all GPUs may begin to the end of the work on the current one. */
struct timing timing_measure(const struct job *job, int reps, const struct conditions *conditions);

/* Median of values[0 … count-1], count >= 1; sorts them. Pure. */
double timing_median(double *values, int count);

#endif
