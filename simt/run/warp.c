/* Warp operations: shuffles, votes, matches, reductions and __syncwarp, with their masks. */
#include "run/block.h"
#include "run/observer.h"
#include "run/schedule.h"
#include "run/stray.h"

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

/* Lanes of arrived that hold the same value as lane. */
static unsigned same_value(unsigned arrived, const uint64_t *values, int lane)
{
    unsigned same = 0;
    for (int i = 0; i < WARP_SIZE; i++)
        if (arrived >> i & 1 && values[i] == values[lane])
            same |= 1u << i;
    return same;
}

static uint64_t result_for_all(enum simt_warp_op op, unsigned arrived, const uint64_t *values)
{
    int first = __builtin_ctz(arrived);
    uint64_t result = op == SIMT_BALLOT ? 0 : values[first];

    if (op == SIMT_MATCH_ALL)
        return same_value(arrived, values, first) == arrived ? arrived : 0;
    for (int i = op == SIMT_BALLOT ? 0 : first + 1; i < WARP_SIZE; i++) {
        if (!(arrived >> i & 1))
            continue;
        if (op == SIMT_BALLOT)
            result |= (uint64_t)(values[i] != 0) << i;
        else
            result = reduce_two(op, result, values[i]);
    }
    return result;
}

void warp_compute(enum simt_warp_op op, unsigned arrived, const uint64_t values[WARP_SIZE],
                  const int sources[WARP_SIZE], const int widths[WARP_SIZE],
                  uint64_t results[WARP_SIZE])
{
    bool shuffle = op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR;
    uint64_t all = 0;

    if (op == SIMT_SYNCWARP)
        return;
    if (!shuffle && op != SIMT_MATCH_ANY)
        all = result_for_all(op, arrived, values);
    for (int i = 0; i < WARP_SIZE; i++) {
        if (!(arrived >> i & 1))
            continue;
        if (shuffle) {
            int from = shuffle_source(op, i, sources[i], widths[i]);
            results[i] = arrived >> from & 1 ? values[from] : STRAY_VALUE;
        } else {
            results[i] = op == SIMT_MATCH_ANY ? same_value(arrived, values, i) : all;
        }
    }
}

/* ---- waiting for each other ---- */

/* What comes of shuffles from lanes that do not take part. */
static void follow_strays(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                          const uint64_t values[WARP_SIZE], const uint64_t results[WARP_SIZE])
{
    int from[WARP_SIZE] = {0};

    if (op < SIMT_SHFL_IDX || op > SIMT_SHFL_XOR)
        return;
    for (unsigned left = arrived; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        from[i] = shuffle_source(op, i, lanes[i].source, lanes[i].width);
    }
    stray_shuffled(lanes, arrived, values, from, results);
}

/* Lanes that go by a mask that nobody has looked at: the first that relies on another lane. */
static void tell_unseen_mask(struct lane *lanes, enum simt_warp_op op, unsigned arrived)
{
    bool told = false;

    for (unsigned left = arrived; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        bool alone = op == SIMT_SYNCWARP
                         ? arrived == 1u << i
                         : shuffle_source(op, i, lanes[i].source, lanes[i].width) == i;
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
    unsigned arrived = warp->group[g].arrived;
    uint64_t values[WARP_SIZE] = {0}, results[WARP_SIZE];
    int sources[WARP_SIZE] = {0}, widths[WARP_SIZE] = {0};
    bool unseen = false;

    block->exchanges++;
    OBSERVE(warp_meets, block, (unsigned)(warp - block->warp), warp->group[g].op, arrived,
            warp->group[g].mask);
    for (unsigned left = arrived; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        values[i] = lanes[i].value;
        sources[i] = lanes[i].source;
        widths[i] = lanes[i].width;
        unseen |= lanes[i].unseen_mask;
    }
    if (unseen)
        tell_unseen_mask(lanes, warp->group[g].op, arrived);
    warp_compute(warp->group[g].op, arrived, values, sources, widths, results);
    follow_strays(lanes, warp->group[g].op, arrived, values, results);
    for (unsigned left = arrived; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        lanes[i].result = results[i];
    }
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

/* What the log keeps of an operation. */
static uint64_t logged_address(enum simt_warp_op op, unsigned mask, int self, int lane, int width)
{
    uint64_t from = 0;

    if (op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR)
        from = (unsigned)shuffle_source(op, self, lane, width) % WARP_SIZE;
    return from << 32 | mask;
}

/* The width that a shuffle goes by: a wrong one counts as 32. */
static int checked_width(const struct lane *lane, enum simt_warp_op op, int width)
{
    bool shuffle = op >= SIMT_SHFL_IDX && op <= SIMT_SHFL_XOR;

    if (!shuffle || (width >= 1 && width <= WARP_SIZE && (width & (width - 1)) == 0))
        return width;
    observer_complain((struct complaint){.kind = FINDING_WIDTH, .lane = lane, .pc = lane->pc},
                      "Lane %u passes the width %d.", lane->index % WARP_SIZE, width);
    return WARP_SIZE;
}

uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int lane, int width)
{
    struct lane *self = simt_current_lane;
    struct warp *warp = &self->block->warp[self->index / WARP_SIZE];
    unsigned bit = 1u << self->index % WARP_SIZE;

    if (!(mask & bit))
        observer_fatal(&(struct fatal){.kind = FATAL_MASK,
                                       .block = self->block,
                                       .lane = self,
                                       .mask = mask,
                                       .pc = __builtin_return_address(0)});
    self->op = op;
    self->mask = mask;
    self->value = value;
    self->source = lane;
    self->pc = __builtin_return_address(0);
    self->width = width = checked_width(self, op, width);

    OBSERVE(operation, self, event_of(op),
            logged_address(op, mask, (int)(self->index % WARP_SIZE), lane, width), 0, 0,
            __builtin_return_address(0));
    int g = find_group(warp, op, mask);
    warp->group[g].arrived |= bit;
    if (group_complete(warp, g)) {
        finish_group(self->block, warp, g);
        schedule_yield(self);
    } else {
        schedule_wait(self, WAIT_WARP, __builtin_return_address(0));
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
