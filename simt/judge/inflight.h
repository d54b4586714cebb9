/* What the host may not touch yet: memory that kernels, copies and fills use that it has not waited
 * for since (run/stream.h). Told leniently: where the host reads by a volatile access what one of
 * them writes, it counts as having waited. */
#ifndef SIMT_INFLIGHT_H
#define SIMT_INFLIGHT_H

#include "run/stream.h"
#include "run/lane.h"

#include <stdint.h>

/* A launch has ended, or the host has asked for a copy or a fill that may still run. */
void inflight_launch(const struct launch *launch);
void inflight_transfer(const struct transfer *transfer);

/* The host is about to touch size bytes at address, by a volatile access (polls) or any other. pc:
 * where. */
void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

#endif
