/* Warp operations: shuffles, votes, matches, reductions and __syncwarp, with their masks. */
#ifndef SIMT_WARP_H
#define SIMT_WARP_H

#include "run/lane.h"

/* A lane of the warp has ended: finishes the operations that waited for nobody else. */
void warp_lane_ended(struct block *block, struct warp *warp);

/* Pure: results[i] of a warp operation for every lane of arrived, from their values and, for
 * shuffles, sources and widths. Lanes outside arrived are neither read nor written; a shuffle that
 * reads such a lane gets its own value. */
void warp_compute(enum simt_warp_op op, unsigned arrived, const uint64_t values[WARP_SIZE],
                  const int sources[WARP_SIZE], const int widths[WARP_SIZE],
                  uint64_t results[WARP_SIZE]);

#endif
