/* The trace, SIMT_TRACE's and --trace's: warp-level requests, lane by lane, as a file of CSV. Its
 * columns are described in README.md. */
#ifndef SIMT_TRACE_H
#define SIMT_TRACE_H

#include "watch/space.h"
#include "watch/values.h"

/* Has a trace been asked for (simt_set_trace)? */
extern bool trace_wanted;

/* One event of a warp of the block, in the warp's order: its how manieth request, from 0, to memory
 * of that space, or a barrier or warp operation (SPACE_SYNC). value: of each lane what an access
 * read or stored. Ends the program with status 2 when the trace grows too large. */
void trace_event(const struct block *block, const struct shared_memory *shared,
                 const struct warp_event *event, unsigned warp, uint32_t request,
                 enum count_space space, const struct value *const value[WARP_SIZE]);

/* A launch has ended. */
void trace_launch_end(const struct launch *launch);

/* Writes what was recorded, completely or not at all: into a new file, which then replaces the old
 * one. Nothing to do when no launch was recorded. On failure one line on stderr, and false. */
bool trace_write(void);

#endif
