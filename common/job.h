/* One reduction with its memory, ready to run any number of times. */
#ifndef JOB_H
#define JOB_H

#include "reduction.h"

/* Either reduce or reduce_in_place is set, and n; job_allocate sets the pointers. All memory is the
 * device's; work has room for n elements where reduce_in_place destroys its input, and is NULL
 * elsewhere. Errors of CUDA end the program as CHECK does. */
struct job {
    reduce_fn *reduce;
    reduce_in_place_fn *reduce_in_place;
    elem_t *in, *work;
    sum_t *out, *scratch;
    size_t n;
    size_t tile; /* 0: the result is in out; else scratch has a sum of each tile of the input */
};

/* Bytes that job_allocate takes; what it takes is free again after job_free. */
size_t job_bytes(const struct job *job);
void job_allocate(struct job *job);
void job_free(const struct job *job);

/* Fills out and scratch with -1 or NaN: their content before a reduction is undefined. A reduction
 * that relies on zeros, or forgets to write its result, is found out. */
void job_poison(const struct job *job);

/* Enqueues what makes the job ready for its next run: work gets the input again. */
void job_restore(const struct job *job);

/* Enqueues the whole reduction. */
void job_run(const struct job *job);

/* Waits for all that was enqueued, and fetches the result, or adds up the sums of the tiles. */
sum_t job_result(const struct job *job);

#endif
