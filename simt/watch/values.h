/* Values, for a trace: what each access of a lane read or stored, in the order of its log. A hook
 * runs before its access: a load's value is in memory by then, a store's at the lane's next event.
 * So a lane that is traced stops in front of each. But a store is not yet made at a load right
 * behind it: g++ copies a structure by a store's hook, a load's, and then both. */
#ifndef SIMT_VALUES_H
#define SIMT_VALUES_H

#include "run/lane.h"

/* An atomicCAS has three values of up to 8 bytes. */
enum { MOST_VALUE = 24 };

struct value {
    uintptr_t address;
    uint8_t size;
    bool known; /* in a range that is longer than a log some are not */
    uint8_t bytes[MOST_VALUE];
};

/* Those that the trace has not taken yet. All zero at first. */
struct values {
    unsigned count, taken, known; /* those before `known` are known */
    bool loaded;                  /* a load came behind the first that is not */
    bool in_range;                /* a range is being logged, of which no piece is made yet */
    struct value value[LOG_EVENTS];
};

/* A load or store was logged, which is made before the lane's next event. */
void values_add(struct values *values, unsigned kind, uintptr_t address, unsigned size);

/* An event of this kind is to be logged: what was stored before it can be read. */
void values_settle(struct values *values, unsigned kind);

/* The lane's atomic at address: what was there before, then the operands, `bytes` bytes together.
 */
void values_atomic(struct lane *lane, const void *address, const void *bytes, size_t size);

/* The next one. */
const struct value *values_take(struct values *values);

#endif
