/* Clocks of the warps of a block. */
#include "judge/order.h"

#include <string.h>

void order_block_begin(struct order *order)
{
    order->barrier = 0;
    order->latest = 1;
    for (unsigned w = 0; w < ORDER_WARPS; w++) {
        order->clock[w] = 1;
        order->groups[w] = 0;
        if (order->used[w])
            memset(order->seen[w], 0, sizeof order->seen[w]);
        order->used[w] = false;
    }
}

void order_barrier(struct order *order)
{
    order->barrier = ++order->latest;
}

/* Are these the rest of a group that was joined when its first lanes came? */
static bool was_awaited(struct order *order, unsigned warp, uint32_t lanes, uint32_t mask)
{
    struct order_group *group = order->group[warp];

    for (unsigned g = 0; g < order->groups[warp]; g++) {
        if (group[g].mask != mask)
            continue;
        bool rest = (lanes & ~group[g].awaited) == 0;
        group[g].awaited = rest ? group[g].awaited & ~lanes : 0;
        if (group[g].awaited == 0)
            group[g] = group[--order->groups[warp]];
        return rest;
    }
    return false;
}

static void await_rest(struct order *order, unsigned warp, uint32_t lanes, uint32_t mask)
{
    if ((mask & ~lanes) == 0 || order->groups[warp] == ORDER_LANES)
        return;
    order->group[warp][order->groups[warp]++] = (struct order_group){mask, mask & ~lanes};
}

bool order_syncwarp(struct order *order, unsigned warp, uint32_t lanes, uint32_t mask)
{
    uint32_t(*seen)[ORDER_LANES] = order->seen[warp];
    uint32_t joined[ORDER_LANES] = {0}, after = order_now(order, warp) + 1;

    if (was_awaited(order, warp, lanes, mask))
        return false;
    await_rest(order, warp, lanes, mask);
    order->used[warp] = true;
    for (uint32_t left = mask; left; left &= left - 1) {
        const uint32_t *known = seen[__builtin_ctz(left)];
        for (int i = 0; i < ORDER_LANES; i++)
            joined[i] = known[i] > joined[i] ? known[i] : joined[i];
    }
    for (uint32_t left = mask; left; left &= left - 1)
        joined[__builtin_ctz(left)] = after;
    for (uint32_t left = mask; left; left &= left - 1)
        memcpy(seen[__builtin_ctz(left)], joined, sizeof joined);
    order->clock[warp] = after;
    if (after > order->latest)
        order->latest = after;
    return true;
}

uint32_t order_unordered(const struct order *order, unsigned warp, uint32_t lanes, uint32_t time,
                         unsigned lane)
{
    const uint32_t *seen = order->seen[warp][lane];
    uint32_t unordered = 0;

    lanes &= ~(1u << lane);
    if (time < order->barrier)
        return 0;
    for (uint32_t left = lanes; left; left &= left - 1)
        if (time >= seen[__builtin_ctz(left)])
            unordered |= left & -left;
    return unordered;
}
