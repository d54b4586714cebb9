/* May a kernel touch this? Accesses out of bounds, and pointers of the host. */
#ifndef SIMT_BOUNDS_H
#define SIMT_BOUNDS_H

#include "watch/hooks.h"
#include "watch/space.h"

/* An access that would go to that space and is not known to be allowed: may the lane make it? If
 * not, it becomes a finding, and where there is no memory at all the program ends. A read of a
 * constant that nobody has set becomes a note. */
bool bounds_allow(const struct lane *lane, const struct shared_memory *shared,
                  const struct lane_access *access, enum count_space space);

/* An access, allowed, whose address is no multiple of its size: a finding, if that is certain. */
void bounds_misaligned(const struct lane *lane, const struct lane_access *access);

/* May the host, in a file compiled with hooks, touch size bytes at address? Where that is the
 * device's alone it becomes a finding. */
bool bounds_host(uintptr_t address, unsigned size, bool store, const void *pc);

#endif
