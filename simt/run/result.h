/* The results of warp operations, as a GPU computes them: pure. */
#pragma once

#include "run/lane.h"

static inline bool is_shuffle(enum simt_warp_op op)
{
    return op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR;
}

/* Is it a valid width of a shuffle? Any other width counts as 32. */
static inline bool is_width(int width)
{
    return width >= 1 && width <= WARP_SIZE && (width & (width - 1)) == 0;
}

/* The lane whose value this lane gets from a shuffle with these arguments; the lane itself where
 * the operation is no shuffle. */
int result_source(enum simt_warp_op op, int lane, int source, int width);

/* The results of these lanes, computed from their values and sources. A shuffle whose source is not
 * one of these lanes gives STRAY_VALUE, the largest float or double. */
#define STRAY_VALUE 0x7fefffff7f7fffff
void results(enum simt_warp_op op, unsigned lanes, const uint64_t value[WARP_SIZE],
             const int source[WARP_SIZE], uint64_t result[WARP_SIZE]);
