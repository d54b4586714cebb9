/* The compiler's hooks, which fill the lanes' logs and tell the checks of each access; and the way
 * from the logs to counters and trace.
 *
 * g++'s options -fsanitize=thread and -fsanitize-coverage=trace-pc put a call in front of every
 * memory access and at the begin of every basic block. We do not link the sanitizers' runtimes, but
 * define these calls ourselves, as the Linux kernel's KCSAN does. A hook writes an event to the
 * lane's log; the logs of a warp are merged later (merge.h). */
#pragma once

#include "watch/listener.h"

/* Logs a barrier, warp operation or atomic of the running lane, and tells the listener of atomics,
 * fences and their order. pc: the return address of the call in the kernel. */
void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc);

/* Logs that memset, memcpy or the like is about to load or store size bytes. pc: its return
 * address.
 */
void hooks_range(const void *address, size_t size, bool store, const void *pc);

/* The host accesses memory. The listener is told if it is the device's. */
void hooks_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* ---- from the logs to counters and trace (warps.c) ---- */

/* The block begins, and its lanes log from here on. counts: their events are counted, and traced if
 * a trace is wanted. Ends the program when memory is short. */
void warps_block_begin(struct block *block, bool counts);

/* No lane of the warp can run on: merges the logs of its lanes, or empties them if nothing is
 * counted. Lanes that waited for room become ready. */
void warps_take(struct block *block, unsigned warp);

/* A launch whose events were counted has ended. */
void warps_launch_end(const struct launch *launch);
