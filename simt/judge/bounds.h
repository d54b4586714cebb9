/* May a kernel touch this? Accesses out of bounds, and pointers of the host. */
#ifndef SIMT_BOUNDS_H
#define SIMT_BOUNDS_H

#include "watch/space.h"

/* May lane `lane` of a warp make its access of the event, which would go to that space? If not, it
 * becomes a finding. */
bool bounds_allow(const struct block *block, const struct shared_memory *shared,
                  const struct warp_event *event, int lane, unsigned warp, enum count_space space);

/* The host, in a file compiled with hooks, has touched size bytes at address: a finding where that
 * is the device's alone. */
void bounds_host(uintptr_t address, unsigned size, bool store, const void *pc);

#endif
