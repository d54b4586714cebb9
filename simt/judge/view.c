/* Joins, releases and acquires the knowledge of threads. */
#include "judge/sync.h"

void view_join(struct knowledge *known, const struct knowledge *more)
{
    if (more->accesses)
        known->accesses = vector_clock_join(known->accesses, more->accesses);
    if (more->operations)
        known->operations = vector_clock_join(known->operations, more->operations);
}

void view_join_release(struct knowledge *known, uint32_t block, unsigned thread,
                       const struct release *release)
{
    unsigned warp = KEY_WARP + thread / WARP_SIZE;
    vector_clock *clock = &known->accesses;

    view_join(known, &release->known);
    if (!release->own)
        return;
    *clock = vector_clock_with(*clock, view_key(block, KEY_BLOCK), release->block);
    *clock = vector_clock_with(*clock, view_key(block, warp), release->warp);
    *clock = vector_clock_with(*clock, view_key(block, KEY_THREAD + thread), release->own);
}

void view_keep_last_seen(struct view *view)
{
    vector_clock *clock = &view->current.operations;

    *clock = vector_clock_with(*clock, view->saw_chain, view->saw_number);
    view->saw_chain = view->saw_number = 0;
}

void view_see(struct view *view, uint32_t chain, uint32_t number)
{
    if (view->saw_chain != chain)
        view_keep_last_seen(view);
    view->saw_chain = chain;
    view->saw_number = view_later(view->saw_number, number);
}

void view_acquire(struct view *view, enum scope scope)
{
    for (int i = (int)scope; i >= SCOPE_BLOCK; i--) {
        view_join(&view->current, &view->acquirable[i]);
        view->acquirable[i] = (struct knowledge){0};
    }
}

bool view_saw(const struct view *view, uint32_t chain, uint32_t number)
{
    return view_saw_last(view, chain, number) ||
           vector_clock_at(view->current.operations, chain) >= number ||
           vector_clock_at(view->acquirable[SCOPE_DEVICE].operations, chain) >= number;
}

unsigned view_unordered(const struct knowledge *known, const struct access *access, unsigned lanes)
{
    const struct order *order = &access->order;
    vector_clock clock = known->accesses;

    if (!lanes || (!clock && !known->operations))
        return lanes;
    if ((order->number && vector_clock_at(known->operations, order->chain) >= order->number) ||
        vector_clock_at(clock, view_key(access->block, KEY_BLOCK)) > access->time ||
        vector_clock_at(clock, view_key(access->block, KEY_WARP + access->warp)) > access->time)
        return 0;
    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned thread = access->warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        if (vector_clock_at(clock, view_key(access->block, KEY_THREAD + thread)) > access->time)
            lanes &= ~(left & -left);
    }
    return lanes;
}
