/* Critical sections: what a thread does between an atomicCAS that takes a lock and the operation
 * that gives it back. Pure.
 *
 * Two sections of one lock may come in either order. In the order of this run the first one need
 * not take anything over; were it the second, it would lack the fence that belongs behind the
 * atomicCAS. So an access without that fence races with the other section's, whoever was first. */
#ifndef SIMT_SECTION_H
#define SIMT_SECTION_H

#include "judge/history.h"

struct section {
    uint64_t taken, given; /* positions of the two operations */
    uint64_t fence[2];     /* of the first fence behind the first one, by scope; UINT64_MAX: none */
    uint64_t word;
    uint32_t epoch; /* when it begins, as in struct past */
};

/* Those of thread t, as replay.h numbers threads, are from begin[t] to begin[t + 1], by position.
 * The arrays are the caller's; both are NULL where there are no sections. */
struct sections {
    struct section *section;
    uint32_t *begin;
};

/* All sections of a launch, whose synchronisation is sorted. False: no memory. */
bool sections_find(struct sections *sections, const struct history *history, uint32_t threads);

/* The innermost section of the thread that an access at this position lies in; NULL: none. */
const struct section *section_of(const struct sections *sections, uint32_t thread,
                                 uint64_t position);

/* Does this access, which lies in the section, do so with no __syncthreads and no fence of that
 * scope between it and the section's begin? */
bool section_is_bare(const struct section *section, const struct past *access,
                     enum sync_scope scope);

#endif
