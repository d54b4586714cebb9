/* One reduction, ready to run any number of times. */
#ifndef JOB_H
#define JOB_H

#include "reduction.h"

/* Either reduce or reduce_in_place is set. All memory is the device's; work has room for n elements
 * where reduce_in_place destroys its input, and is NULL elsewhere. */
struct job {
    reduce_fn *reduce;
    reduce_in_place_fn *reduce_in_place;
    elem_t *in, *work, *out, *scratch;
    size_t n;
};

/* Enqueues what makes the job ready for its next run: work gets the input again. */
void job_restore(const struct job *job);

/* Enqueues the whole reduction. */
void job_run(const struct job *job);

#endif
