/* The trace, SIMT_TRACE's and --trace's: warp-level requests, lane by lane, as a file of CSV. Its
 * columns are described in FORMATS.md. */
#pragma once

#include "watch/space.h"

/* An atomicCAS has three values of up to 8 bytes. */
enum { MOST_VALUE = 24 };

/* What an access read or stored. size 0: that is not known, as of some in a range that is longer
 * than a log. */
struct value {
    uint8_t size, bytes[MOST_VALUE];
};

/* Of each event in the log of a lane that is traced. All zero at first. */
struct values {
    unsigned known; /* of so many events the stores are known */
    struct value value[LOG_EVENTS];
};

/* A load or store was logged. A hook runs before its access: a load's value is in memory by then.
 */
void values_add(const struct log *log);

/* What was logged as stored has been stored (settle in hooks.c). */
void values_settle(const struct log *log);

/* The traced lane's atomic at address: what was there before, then the operands, `bytes` bytes
 * together. */
void values_atomic(struct lane *lane, const void *address, const void *bytes, size_t size);

/* The first events were taken out of the log. */
void values_drop(struct values *values, size_t count);

/* Has a trace been asked for (simt_set_trace)? */
extern bool trace_wanted;

/* One event of a warp of the block, in the warp's order: its how manieth request, from 0, to memory
 * of that space, or a barrier or warp operation (SPACE_SYNC). next: behind it in each lane's log.
 * Ends the program with status 2 when the trace grows too large. */
void trace_event(const struct block *block, const struct warp_event *event, unsigned warp,
                 uint32_t request, enum count_space space,
                 const struct event *const next[WARP_SIZE]);

/* Writes what was recorded, completely or not at all: into a new file, which then replaces the old
 * one. Nothing to do when no launch was recorded. On failure one line on stderr, and false. */
bool trace_write(void);
