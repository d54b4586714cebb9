/* Critical sections: what a thread does between an atomicCAS that takes a lock and the operation
 * that gives it back. Pure.
 *
 * Two sections of one lock may come in either order. In the order of this run the first one need
 * not take anything over; were it the second, it would lack the fence that belongs behind the
 * atomicCAS. So an access without that fence races with the other section's, whoever was first. */
#ifndef SIMT_SECTION_H
#define SIMT_SECTION_H

#include "judge/history.h"

#include <stddef.h>

struct section {
    uint64_t thread;       /* block << 10 | index in the block */
    uint64_t taken, given; /* positions of the two operations */
    uint64_t fence[2];     /* of the first fence behind the first one, by scope; UINT64_MAX: none */
    uint64_t word;
};

struct sections {
    struct section *section; /* sorted by thread and position */
    size_t count;
};

/* All sections of a launch, whose synchronisation is sorted by position. section NULL: no memory.
 * The array belongs to the caller. */
struct sections sections_find(const struct sync *sync, size_t syncs);

/* The innermost section that an access by a lane lies in; NULL: none. */
const struct section *section_of(const struct sections *sections, const struct past *past,
                                 unsigned lane);

/* Does the access lie in the section with no fence of that scope between it and the section's
 * begin? */
bool section_is_bare(const struct section *section, const struct past *past, enum sync_scope scope);

#endif
