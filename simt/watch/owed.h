/* Values, for a trace. A hook runs before its access: what that read or stored is in memory at the
 * lane's next event. So a lane that is traced stops in front of each, and logs there what it owes.
 * But a store is not yet made at a load behind it: g++ copies a structure by a store's hook, a
 * load's, and then both. */
#ifndef SIMT_OWED_H
#define SIMT_OWED_H

#include "run/lane.h"

/* All accesses that the lane owes values of have been made. */
void owed_log_all(struct lane *lane);

/* An event is about to be logged, perhaps an access. */
void owed_log_before(struct lane *lane, unsigned kind, uint64_t address);

/* A load or store has been logged; it is made before the lane's next event. */
void owed_add(struct log *log, unsigned kind, uintptr_t address, unsigned size);

/* Logs `bytes` bytes of values behind the lane's atomic at address: what was there before, then the
 * operands. pc: the return address of the call in the kernel. */
void owed_atomic_values(struct lane *lane, const void *address, const void *values, size_t bytes,
                        const void *pc);

#endif
