/* The trace, SIMT_TRACE's and --trace's: warp-level requests, lane by lane, as a file of CSV. Its
 * columns are described in README.md. */
#ifndef SIMT_TRACE_H
#define SIMT_TRACE_H

#include "watch/space.h"

/* Has a trace been asked for (simt_set_trace)? */
extern bool trace_wanted;

/* What was recorded of the blocks of a launch that ran in one place (run/pool.h). */
struct tracer;
struct tracer *trace_new(void);
void trace_block_begin(struct tracer *tracer);

/* One event of a warp of the block, in the warp's order: a request to memory of that space, or a
 * barrier or warp operation (SPACE_SYNC). Ends the program with status 2 when the trace grows too
 * large. */
void trace_event(struct tracer *tracer, const struct block *block,
                 const struct shared_memory *shared, const struct warp_event *event, unsigned warp,
                 enum count_space space);

/* What lanes of a warp of the block read or stored (EVENT_VALUE), by accesses whose events were
 * told before; those that were not are passed over. */
void trace_values(struct tracer *tracer, const struct warp_event *event, unsigned warp);

/* A launch has ended: takes over what each place has recorded of it, then closes it. */
void trace_gather(struct tracer *tracer);
void trace_launch_end(const struct launch *launch);

/* Writes what was recorded, completely or not at all: into a new file, which then replaces the old
 * one. Nothing to do when no launch was recorded. On failure one line on stderr, and false. */
bool trace_write(void);

#endif
