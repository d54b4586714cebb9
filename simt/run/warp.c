/* Warp operations: shuffles, votes, matches, reductions and __syncwarp, with their masks. */
#include "run/block.h"

#include <string.h>

/* ---- results, as a GPU computes them: pure ---- */

static bool is_shuffle(enum simt_warp_op op)
{
    return op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR;
}

/* Is it a valid width of a shuffle? Any other width counts as 32. */
static bool is_width(int width)
{
    return width >= 1 && width <= WARP_SIZE && (width & (width - 1)) == 0;
}

/* The lane whose value this lane gets from a shuffle with these arguments; the lane itself where
 * the operation is no shuffle. A source beyond the end of the segment of width lanes means the
 * lane's own value (CUDA C++ Programming Guide, "Warp Shuffle Functions"). Only the last five bits
 * of a lane, delta or mask count (PTX, shfl.sync). */
static int source_of(enum simt_warp_op op, int lane, int source, int width)
{
    int first = lane & ~(width - 1), from;

    source &= WARP_SIZE - 1;
    switch (op) {
    case SIMT_SHFL_IDX: return first + (source & (width - 1));
    case SIMT_SHFL_UP: from = lane - source; return from < first ? lane : from;
    case SIMT_SHFL_DOWN: from = lane + source; break;
    case SIMT_SHFL_XOR: from = lane ^ source; break;
    default: return lane;
    }
    return from >= first + width ? lane : from;
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

/* The result of a shuffle from a lane that takes no part: the largest float or double. */
static const uint64_t UNDEFINED = 0x7fefffff7f7fffff;

void warp_results(enum simt_warp_op op, unsigned arrived, const uint64_t value[WARP_SIZE],
                  const int from[WARP_SIZE], uint64_t result[WARP_SIZE])
{
    bool for_all = op >= SIMT_BALLOT && op != SIMT_MATCH_ANY;
    uint64_t all = for_all ? result_for_all(op, value, arrived) : 0;

    EACH_LANE(i, arrived) {
        if (is_shuffle(op))
            result[i] = arrived >> from[i] & 1 ? value[from[i]] : UNDEFINED;
        else
            result[i] = op == SIMT_MATCH_ANY ? same_value(value, arrived, value[i]) : all;
    }
}

/* ---- operations, which are complete when all living lanes of the mask have come ---- */

/* Some lanes use a mask of __activemask() that the program has not looked at. Tells the first of
 * them that relies on another lane. */
static void tell_unseen_mask(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                             const int from[WARP_SIZE])
{
    bool told = false;

    EACH_LANE(i, arrived) {
        bool alone = op == SIMT_SYNCWARP ? arrived == 1u << i : from[i] == i;
        if (lanes[i].form & SIMT_UNSEEN_MASK && !told && !alone) {
            observer_complain(COMPLAINT(ACTIVE_MASK, &lanes[i], lanes[i].pc),
                              "Here it was 0x%08x, and the program uses it without looking at it.",
                              lanes[i].mask);
            told = true;
        }
        lanes[i].form &= (uint8_t)~SIMT_UNSEEN_MASK;
    }
}

void warp_tell_origin(const struct lane *lane, const struct origin *origin, const char *use)
{
    const struct lane *first = lane - lane->index % WARP_SIZE;
    bool named = origin->mask >> origin->from & 1;
    bool there = first->index + (unsigned)origin->from < lane->block->launch->threads;
    struct complaint complaint = {
        .kind = FINDING_WARP_OPERATION, .lane = first + origin->lane, .pc = origin->pc};

    if (origin->rank >= 0)
        observer_complain(
            complaint,
            "Lane %d asks for rank %d of a coalesced group of %d threads, whose ranks "
            "count its own lanes alone, %s",
            origin->lane, origin->rank, __builtin_popcount(origin->mask), use);
    else if (!there)
        observer_complain(complaint, "Lane %d reads lane %d, which the block does not have, %s",
                          origin->lane, origin->from, use);
    else if (named)
        observer_complain(complaint,
                          "Lane %d reads lane %d, which is in the mask 0x%08x but ends without "
                          "a shuffle.",
                          origin->lane, origin->from, origin->mask);
    else
        observer_complain(complaint,
                          "Lane %d reads lane %d, which takes no part by the mask 0x%08x, %s",
                          origin->lane, origin->from, origin->mask, use);
}

/* Gives every lane of a complete group its result and lets it go on. */
static void finish_group(struct block *block, struct warp *warp, int g)
{
    struct lane *lanes = &block->lane[(warp - block->warp) * WARP_SIZE];
    enum simt_warp_op op = warp->group[g].op;
    unsigned arrived = warp->group[g].arrived;
    const struct lane *first = &lanes[__builtin_ctz(arrived)];
    uint64_t value[WARP_SIZE] = {0}, result[WARP_SIZE];
    int from[WARP_SIZE];
    bool unseen = false, strays = false;

    lane_activity++;
    OBSERVE(warp_meets, block, (unsigned)(warp - block->warp), op, arrived, warp->group[g].mask);
    EACH_LANE(i, arrived) {
        from[i] = lanes[i].source;
        value[i] = lanes[i].value;
        unseen |= lanes[i].form & SIMT_UNSEEN_MASK;
        strays |= lanes[i].strayed || !(arrived >> from[i] & 1);
    }
    if (unseen)
        tell_unseen_mask(lanes, op, arrived, from);
    /* lanes of a group that never come: the results of the others are undefined */
    if (first->group && op != SIMT_SYNCWARP && arrived != warp->group[g].mask) {
        observer_complain(COMPLAINT(GROUP_INCOMPLETE, first, first->pc), "A %s.",
                          group_missing(first));
        strays = false;
    }
    warp_results(op, arrived, value, from, result);
    EACH_LANE(i, arrived) {
        lanes[i].result = result[i];
    }
    if (strays)
        stray_spread(lanes, op, arrived, from);
    warp->ready |= arrived;
    warp->group[g] = warp->group[--warp->groups];
}

static bool group_complete(const struct warp *warp, int g)
{
    return warp->group[g].arrived == (warp->group[g].mask & warp->alive);
}

void warp_lane_ended(struct block *block, struct warp *warp)
{
    for (int g = warp->groups - 1; g >= 0; g--)
        if (group_complete(warp, g))
            finish_group(block, warp, g);
}

/* The index of the operation in progress with this op and mask; if there is none, it begins. */
static int find_group(struct warp *warp, enum simt_warp_op op, unsigned mask)
{
    int g = 0;
    while (g < warp->groups && (warp->group[g].op != op || warp->group[g].mask != mask))
        g++;
    if (g == warp->groups) {
        warp->group[g].op = op;
        warp->group[g].mask = mask;
        warp->group[g].arrived = 0;
        warp->groups++;
    }
    return g;
}

static enum event_kind event_of(enum simt_warp_op op)
{
    if (op == SIMT_SYNCWARP)
        return EVENT_SYNCWARP;
    if (op <= SIMT_SHFL_XOR)
        return EVENT_SHUFFLE;
    return op <= SIMT_MATCH_ALL ? EVENT_VOTE : EVENT_REDUCE;
}

/* The running lane's warp operation. source: of a shuffle the lane whose value it gets, else the
 * lane itself. instructions: the number that a GPU executes for it. */
static inline uint64_t operate(enum simt_group group, enum simt_warp_op op, unsigned mask,
                               uint64_t value, int source, unsigned instructions, const void *pc)
{
    struct lane *self = simt_current_lane;
    struct warp *warp = &self->block->warp[self->index / WARP_SIZE];
    unsigned bit = 1u << self->index % WARP_SIZE;

    if (STRAY_AT(self, .kind = DEED_WARP, .a = (uint64_t)op << 32 | mask, .value = value,
                 .from = source))
        return stray_result(self);
    self->group = (uint8_t)group;
    self->mask = mask;
    if (!(mask & bit))
        observer_fatal(FATAL_OF(WARP_OPERATION, self, pc));
    self->op = op;
    self->value = value;
    self->source = source;
    self->pc = pc;

    for (; instructions > 0; instructions--)
        OBSERVE(operation, self, event_of(op), mask | (is_shuffle(op) ? (uint64_t)source << 32 : 0),
                0, 0, pc);
    int g = find_group(warp, op, mask);
    warp->group[g].arrived |= bit;
    if (group_complete(warp, g)) {
        finish_group(self->block, warp, g);
        schedule_yield(self);
    } else {
        schedule_wait(self, WAIT_WARP, pc);
    }
    return __builtin_expect(self->strayed, 0) ? stray_result(self) : self->result;
}

uint64_t simt_warp(enum simt_group group, enum simt_warp_op op, unsigned mask, uint64_t value,
                   int lane, int width, unsigned instructions)
{
    const void *pc = __builtin_return_address(0);
    unsigned number = simt_current_lane->index % WARP_SIZE;
    bool right = !is_shuffle(op) || is_width(width) || stray_is_shadow();

    if (!right)
        observer_complain(COMPLAINT(WIDTH, simt_current_lane, pc), "Lane %u passes the width %d.",
                          number, width);
    return operate(group, op, mask, value,
                   source_of(op, (int)number, lane, is_width(width) ? width : WARP_SIZE),
                   instructions, pc);
}

/* ---- operations of groups of lanes, in which threads have ranks ---- */

unsigned simt_ranks_of(unsigned lanes, unsigned group)
{
    unsigned ranks = 0, rank = 0;

    EACH_LANE(i, group) {
        ranks |= (lanes >> i & 1) << rank++;
    }
    return ranks;
}

unsigned simt_lanes_of(unsigned ranks, unsigned group)
{
    unsigned lanes = 0, rank = 0;

    EACH_LANE(i, group) {
        lanes |= (ranks >> rank++ & 1) << i;
    }
    return lanes;
}

/* The lane whose value lane `number` asks for in a coalesced group. A delta that leads out of the
 * group asks for its own value; a rank that no thread has asks a lane outside the group. */
static int lane_asked(enum simt_warp_op op, unsigned mask, unsigned number, int by)
{
    int own = __builtin_popcount(mask & ((1u << number) - 1));
    int rank = op == SIMT_SHFL_UP ? own - by : op == SIMT_SHFL_DOWN ? own + by : by;

    if (rank < 0 || rank >= __builtin_popcount(mask))
        return op == SIMT_SHFL_IDX ? __builtin_ctz(~mask) : (int)number;
    return __builtin_ctz(simt_lanes_of(1u << rank, mask));
}

void simt_group_looks(void)
{
    const void *pc = __builtin_return_address(0);

    if (stray_is_shadow())
        return;
    OBSERVE(operation, simt_current_lane, EVENT_VOTE, 0, 0, 0, pc);
    OBSERVE(operation, simt_current_lane, EVENT_REDUCE, 0, 0, 0, pc);
}

/* A GPU executes a shuffle for each four bytes. */
void simt_group_move(enum simt_group group, enum simt_warp_op op, unsigned mask, void *value,
                     size_t size, int by)
{
    const void *pc = __builtin_return_address(0);
    int lane = (int)(simt_current_lane->index % WARP_SIZE), source;

    if (group == SIMT_TILE || mask == ~0u) {
        source = source_of(op, lane, by, __builtin_popcount(mask));
    } else {
        source = lane_asked(op, mask, (unsigned)lane, by);
        simt_current_lane->rank = mask >> source & 1 ? -1 : by;
        op = SIMT_SHFL_IDX;
    }
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        size_t bytes = size - at < sizeof(uint64_t) ? size - at : sizeof(uint64_t);
        uint64_t part = 0;
        memcpy(&part, (char *)value + at, bytes);
        part = operate(group, op, mask, part, source, bytes > 4 ? 2 : 1, pc);
        memcpy((char *)value + at, &part, bytes);
    }
}

unsigned simt_active_mask(void)
{
    struct lane *self = simt_current_lane;

    if (STRAY_AT(self, .kind = DEED_OTHER))
        return (unsigned)self->result;
    lane_so_far.active_masks++;
    OBSERVE(operation, self, EVENT_VOTE, 0, 0, 0, __builtin_return_address(0));
    schedule_wait(self, WAIT_CONVERGE, __builtin_return_address(0));
    return (unsigned)self->result;
}
