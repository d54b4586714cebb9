/* Operations that the host has not waited for: kernels, copies and fills, and what they touch.
 *
 * Two operations that nothing orders (run/timeline.h), or one that is in flight and the host, may
 * not touch the same byte if one of them writes it; two atomics may. Told leniently: where the host
 * reads by a volatile access what an operation writes, it counts as having waited for it. */
#ifndef SIMT_INFLIGHT_H
#define SIMT_INFLIGHT_H

#include "run/async.h"
#include "run/lane.h"

/* A launch has ended whose footprint was gathered (launch->touches), or the host has asked for a
 * copy or a fill: findings if it meets another one in flight. Thread-safe, as the other is. */
void inflight_launch(const struct launch *launch);
void inflight_transfer(const struct transfer *transfer);

/* The host is about to touch size bytes at address, by a volatile access (polls) or any other. pc:
 * where. */
void inflight_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* A launch, judged as if it had ended, that can never go on: may it wait for the host? It does if
 * it looks, by volatile loads or atomics, at pinned or registered memory, or by volatile loads at
 * managed memory that it does not write. */
bool inflight_waits_for_host(const struct launch *launch);

#endif
