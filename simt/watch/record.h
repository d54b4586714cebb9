/* Records warp-level requests, lane by lane, and writes them as CSV: the trace of SIMT_TRACE and
 * --trace. Its columns are described in README.md. */
#ifndef SIMT_RECORD_H
#define SIMT_RECORD_H

#include "run/block.h"
#include "judge/check.h"

/* Has a trace been asked for (simt_set_trace)? */
extern bool record_wanted;

/* What one OS thread has recorded of a launch. */
struct recorder;
struct recorder *record_new(void);
void record_block_begin(struct recorder *recorder);

/* One event of a warp of the block, in the warp's order: a request to memory of that space, or a
 * barrier or warp operation (SPACE_SYNC). Ends the program with status 2 when the trace grows too
 * large. */
void record_event(struct recorder *recorder, const struct block *block,
                  const struct shared_memory *shared, const struct warp_event *event, unsigned warp,
                  enum count_space space);

/* A launch has ended: takes over what each OS thread has recorded of it, then closes it. */
void record_gather(struct recorder *recorder);
void record_launch_end(const struct launch *launch);

/* Writes what was recorded, completely or not at all: into a new file, which then replaces the old
 * one. Nothing to do when no launch was recorded. On failure one line on stderr, and false. */
bool record_write(void);

#endif
