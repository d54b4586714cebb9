/* From what the lanes of a warp have logged to the counters and the trace. */
#ifndef SIMT_WARPS_H
#define SIMT_WARPS_H

#include "run/lane.h"

/* The block begins, in its place (run/block.h): its lanes log from here on. counts: what they do is
 * counted, and traced if a trace is wanted. Ends the program when memory is short. */
void warps_block_begin(struct block *block, bool counts);

/* No lane of the warp can run on: merges what its lanes have logged, or forgets it where nothing is
 * counted. Those that waited for room become ready. */
void warps_take(struct block *block, unsigned warp);

/* The launch, of which all was counted, has ended. */
void warps_launch_end(const struct launch *launch);

#endif
