/* Computes the results of warp operations. */
#include "run/result.h"

/* A source beyond the end of the segment of width lanes means the lane's own value (CUDA C++
 * Programming Guide, "Warp Shuffle Functions"). Only the last five bits of a lane, delta or mask
 * count (PTX, shfl.sync). */
static int shuffle_source(enum simt_warp_op op, int lane, int source, int width)
{
    int first = lane & ~(width - 1);
    int from;

    source &= WARP_SIZE - 1;
    switch (op) {
    case SIMT_SHFL_UP: from = lane - source; return from < first ? lane : from;
    case SIMT_SHFL_DOWN: from = lane + source; return from >= first + width ? lane : from;
    case SIMT_SHFL_XOR: from = lane ^ source; return from >= first + width ? lane : from;
    default: return first + (source & (width - 1));
    }
}

int result_source(enum simt_warp_op op, int lane, int source, int width)
{
    return is_shuffle(op) ? shuffle_source(op, lane, source, width) % WARP_SIZE : lane;
}

static uint64_t reduce_two(enum simt_warp_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case SIMT_ADD: return (uint32_t)(a + b);
    case SIMT_MIN_SIGNED: return (int32_t)a < (int32_t)b ? a : b;
    case SIMT_MAX_SIGNED: return (int32_t)a > (int32_t)b ? a : b;
    case SIMT_MIN_UNSIGNED: return a < b ? a : b;
    case SIMT_MAX_UNSIGNED: return a > b ? a : b;
    case SIMT_AND: return a & b;
    case SIMT_OR: return a | b;
    default: return a ^ b;
    }
}

/* The lanes that have this value. */
static unsigned same_value(const uint64_t *values, unsigned arrived, uint64_t value)
{
    unsigned same = 0;

    EACH_LANE(i, arrived) {
        same |= (unsigned)(values[i] == value) << i;
    }
    return same;
}

static uint64_t result_for_all(enum simt_warp_op op, const uint64_t *values, unsigned arrived)
{
    uint64_t result = values[__builtin_ctz(arrived)];

    if (op <= SIMT_ALL)
        return arrived & ~same_value(values, arrived, 0);
    if (op == SIMT_MATCH_ALL)
        return same_value(values, arrived, result) == arrived ? arrived : 0;
    EACH_LANE(i, arrived & (arrived - 1)) {
        result = reduce_two(op, result, values[i]);
    }
    return result;
}

void results(enum simt_warp_op op, unsigned arrived, const uint64_t value[WARP_SIZE],
             const int from[WARP_SIZE], uint64_t result[WARP_SIZE])
{
    bool for_all = op >= SIMT_BALLOT && op != SIMT_MATCH_ANY;
    uint64_t all = for_all ? result_for_all(op, value, arrived) : 0;

    EACH_LANE(i, arrived) {
        if (is_shuffle(op))
            result[i] = arrived >> from[i] & 1 ? value[from[i]] : STRAY_VALUE;
        else
            result[i] = op == SIMT_MATCH_ANY ? same_value(value, arrived, value[i]) : all;
    }
}
