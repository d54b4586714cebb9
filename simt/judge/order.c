/* Compares the stamp of an earlier access with the thread's view. */
#include "judge/order.h"

unsigned order_lacks_fence(const struct look *look, const struct access *old, unsigned lanes)
{
    return lock_lacks_fence(&look->sync->thread[look->touch->thread].holding, old,
                            old->block == look->now.block, lanes);
}

/* Of lanes of its own warp: those that this lane has not met at a __syncwarp since. */
static unsigned not_met(const struct look *look, const struct access *old, unsigned lanes)
{
    const uint32_t *met = look->sync->thread[look->touch->thread].met;

    lanes &= ~look->lanes;
    for (unsigned left = lanes; left; left &= left - 1)
        if (old->time < met[__builtin_ctz(left)])
            lanes &= ~(left & -left);
    return lanes;
}

unsigned order_unordered(const struct look *look, const struct access *old, unsigned lanes,
                         bool in_order)
{
    const struct view *view = look->view;
    bool same_block = old->block == look->now.block;

    if (same_block && old->time < look->sync->behind_barrier.time)
        return 0;
    if (same_block && old->warp == look->now.warp)
        lanes = not_met(look, old, lanes);
    if (!look->fences)
        return lanes;
    bool saw = old->order.number && view_saw_last(view, old->order.chain, old->order.number);
    unsigned left = saw ? 0 : view_unordered(&view->current, old, lanes);
    for (int i = SCOPE_BLOCK; i <= SCOPE_DEVICE && in_order; i++)
        left = view_unordered(&view->acquirable[i], old, left);
    left |= order_lacks_fence(look, old, lanes & ~left);
    return vector_clock_lack() ? 0 : left;
}
