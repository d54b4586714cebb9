/* What warp operations give, as a GPU has it: pure. */
#pragma once

#include "run/lane.h"

static inline bool is_shuffle(enum simt_warp_op op)
{
    return op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR;
}

/* May it be a shuffle's width? One that may not counts as 32. */
static inline bool is_width(int width)
{
    return width >= 1 && width <= WARP_SIZE && (width & (width - 1)) == 0;
}

/* The lane whose value this one gets, by the shuffle's arguments; of other operations itself. */
int result_source(enum simt_warp_op op, int lane, int source, int width);

/* What an operation gives these lanes, by their values and sources: STRAY_VALUE, for a source that
 * is not among them; it is the largest float, or double. */
#define STRAY_VALUE 0x7fefffff7f7fffff
void results(enum simt_warp_op op, unsigned lanes, const uint64_t value[WARP_SIZE],
             const int source[WARP_SIZE], uint64_t result[WARP_SIZE]);
