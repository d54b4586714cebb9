/* Warp operations: shuffles, votes, matches, reductions and __syncwarp, with their masks. */
#include "run/block.h"
#include "run/observer.h"
#include "run/schedule.h"

/* ---- what an operation gives: pure ---- */

/* The lane whose value lane i gets. Segments of width lanes are closed: a source beyond its end
 * means the lane's own value (CUDA C++ Programming Guide, "Warp Shuffle Functions"). */
static int shuffle_source(enum simt_warp_op op, int lane, int source, int width)
{
    int first = lane & ~(width - 1);
    int from;

    switch (op) {
    case SIMT_SHFL_UP: from = lane - source; return from < first ? lane : from;
    case SIMT_SHFL_DOWN: from = lane + source; return from >= first + width ? lane : from;
    case SIMT_SHFL_XOR: from = lane ^ source; return from >= first + width ? lane : from;
    default: return first + (source & (width - 1));
    }
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

/* Lanes of arrived that hold this value. */
static unsigned same_value(const struct lane *lanes, unsigned arrived, uint64_t value)
{
    unsigned same = 0;

    EACH_LANE(i, arrived)
    {
        same |= (unsigned)(lanes[i].value == value) << i;
    }
    return same;
}

static uint64_t result_for_all(enum simt_warp_op op, const struct lane *lanes, unsigned arrived)
{
    uint64_t result = lanes[__builtin_ctz(arrived)].value;

    if (op == SIMT_BALLOT)
        return arrived & ~same_value(lanes, arrived, 0);
    if (op == SIMT_MATCH_ALL)
        return same_value(lanes, arrived, result) == arrived ? arrived : 0;
    EACH_LANE(i, arrived & (arrived - 1))
    {
        result = reduce_two(op, result, lanes[i].value);
    }
    return result;
}

/* ---- waiting for each other ---- */

static bool is_shuffle(enum simt_warp_op op)
{
    return op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR;
}

/* Lanes that go by a mask that nobody has looked at: the first that relies on another lane. */
static void tell_unseen_mask(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                             const int from[WARP_SIZE])
{
    bool told = false;

    EACH_LANE(i, arrived)
    {
        bool alone = op == SIMT_SYNCWARP ? arrived == 1u << i : from[i] == i;
        if (lanes[i].unseen_mask && !told && !alone) {
            observer_complain((struct complaint){.kind = FINDING_ACTIVE_MASK,
                                                 .lane = &lanes[i],
                                                 .pc = lanes[i].pc},
                              "Here it was 0x%08x, and the program uses it without looking at it.",
                              lanes[i].mask);
            told = true;
        }
        lanes[i].unseen_mask = false;
    }
}

/* Gives every lane of a complete group its result and lets it go on. */
static void finish_group(struct block *block, struct warp *warp, int g)
{
    struct lane *lanes = &block->lane[(warp - block->warp) * WARP_SIZE];
    enum simt_warp_op op = warp->group[g].op;
    unsigned arrived = warp->group[g].arrived;
    uint64_t all = 0;
    int from[WARP_SIZE];
    bool unseen = false;

    lane_activity++;
    OBSERVE(warp_meets, block, (unsigned)(warp - block->warp), op, arrived, warp->group[g].mask);
    EACH_LANE(i, arrived)
    {
        from[i] = shuffle_source(op, i, lanes[i].source, lanes[i].width);
        unseen |= lanes[i].unseen_mask;
    }
    if (unseen)
        tell_unseen_mask(lanes, op, arrived, from);
    if (op >= SIMT_BALLOT && op != SIMT_MATCH_ANY)
        all = result_for_all(op, lanes, arrived);
    EACH_LANE(i, arrived)
    {
        if (is_shuffle(op))
            lanes[i].result = arrived >> from[i] & 1 ? lanes[from[i]].value : STRAY_VALUE;
        else
            lanes[i].result =
                op == SIMT_MATCH_ANY ? same_value(lanes, arrived, lanes[i].value) : all;
    }
    if (is_shuffle(op))
        stray_shuffled(lanes, arrived, from);
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

/* The group of this operation and mask, begun if there is none. */
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

/* The width that a shuffle goes by: a wrong one counts as 32. */
static int checked_width(const struct lane *lane, enum simt_warp_op op, int width)
{
    if (!is_shuffle(op) || (width >= 1 && width <= WARP_SIZE && (width & (width - 1)) == 0))
        return width;
    observer_complain((struct complaint){.kind = FINDING_WIDTH, .lane = lane, .pc = lane->pc},
                      "Lane %u passes the width %d.", lane->index % WARP_SIZE, width);
    return WARP_SIZE;
}

uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int lane, int width)
{
    const void *pc = __builtin_return_address(0);
    struct lane *self = simt_current_lane;
    struct warp *warp = &self->block->warp[self->index / WARP_SIZE];
    unsigned number = self->index % WARP_SIZE, bit = 1u << number;
    uint64_t from = 0;

    if (!(mask & bit))
        observer_fatal(&(struct fatal){
            .kind = FATAL_MASK, .block = self->block, .lane = self, .mask = mask, .pc = pc});
    self->op = op;
    self->mask = mask;
    self->value = value;
    self->source = lane;
    self->pc = pc;
    self->width = checked_width(self, op, width);

    if (is_shuffle(op))
        from = (unsigned)shuffle_source(op, (int)number, lane, self->width) % WARP_SIZE;
    OBSERVE(operation, self, event_of(op), from << 32 | mask, 0, 0, pc);
    int g = find_group(warp, op, mask);
    warp->group[g].arrived |= bit;
    if (group_complete(warp, g)) {
        finish_group(self->block, warp, g);
        schedule_yield(self);
    } else {
        schedule_wait(self, WAIT_WARP, pc);
    }
    return self->result;
}

unsigned simt_active_mask(void)
{
    struct lane *self = simt_current_lane;
    schedule_wait(self, WAIT_CONVERGE, __builtin_return_address(0));
    return (unsigned)self->result;
}

void simt_unseen_mask(void)
{
    simt_current_lane->unseen_mask = true;
}
