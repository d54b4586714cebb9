/* Warp operations: shuffles, votes, matches, reductions and __syncwarp, with their masks. */
#include "run/block.h"
#include "run/observer.h"
#include "run/result.h"
#include "run/schedule.h"
#include "run/stray.h"
#include "simt.h"

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
    uint64_t value[WARP_SIZE] = {0}, result[WARP_SIZE];
    int from[WARP_SIZE];
    bool unseen = false, strays = false;

    lane_activity++;
    OBSERVE(warp_meets, block, (unsigned)(warp - block->warp), op, arrived, warp->group[g].mask);
    EACH_LANE(i, arrived)
    {
        from[i] = lanes[i].source;
        value[i] = lanes[i].value;
        unseen |= lanes[i].unseen_mask;
        strays |= lanes[i].strayed || !(arrived >> from[i] & 1);
    }
    if (unseen)
        tell_unseen_mask(lanes, op, arrived, from);
    results(op, arrived, value, from, result);
    EACH_LANE(i, arrived)
    {
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

uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int lane, int width)
{
    const void *pc = __builtin_return_address(0);
    struct lane *self = simt_current_lane;
    struct warp *warp = &self->block->warp[self->index / WARP_SIZE];
    unsigned number = self->index % WARP_SIZE, bit = 1u << number;
    int right_width = is_width(width) ? width : WARP_SIZE;
    int from = result_source(op, (int)number, lane, right_width);

    if (STRAY_AT(self, .kind = DEED_WARP, .a = (uint64_t)op << 32 | mask, .value = value,
                 .from = from))
        return stray_result(self);
    if (!(mask & bit))
        observer_fatal(&(struct fatal){
            .kind = FATAL_MASK, .block = self->block, .lane = self, .mask = mask, .pc = pc});
    self->op = op;
    self->mask = mask;
    self->value = value;
    self->source = from;
    self->pc = pc;

    if (is_shuffle(op) && !is_width(width))
        observer_complain((struct complaint){.kind = FINDING_WIDTH, .lane = self, .pc = pc},
                          "Lane %u passes the width %d.", number, width);
    OBSERVE(operation, self, event_of(op), mask | (is_shuffle(op) ? (uint64_t)from << 32 : 0), 0, 0,
            pc);
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

static unsigned long long active_masks;

unsigned long long simt_active_masks(void)
{
    return active_masks;
}

unsigned simt_active_mask(void)
{
    struct lane *self = simt_current_lane;

    if (STRAY_AT(self, .kind = DEED_OTHER))
        return (unsigned)self->result;
    active_masks++;
    schedule_wait(self, WAIT_CONVERGE, __builtin_return_address(0));
    return (unsigned)self->result;
}

void simt_unseen_mask(void)
{
    simt_current_lane->unseen_mask = true;
}
