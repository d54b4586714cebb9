/* Keeps arrays by the instruction that touched them. */
#include "watch/recent.h"
#include "run/memory.h"

void recent_block_begin(struct recent *recent, unsigned launch)
{
    if (recent->launch != launch)
        recent->epoch++;
    recent->launch = launch;
}

/* Two instructions may share a place: they then take turns, and are right nevertheless. */
static struct recent_array *place_of(struct recent *recent, const struct warp_event *event)
{
    uint32_t pc = key_pc(event->key, event->depth);
    return &recent->array[(pc ^ pc / RECENT_ARRAYS) % RECENT_ARRAYS];
}

/* Do all lanes stay within the range? Addresses have 48 bits, so that a difference below 0 shows
 * in its topmost bit. */
static bool all_within(struct range range, const struct warp_event *event)
{
    uintptr_t begin = range.begin, last = range.end - event->size;
    uint64_t outside = 0;

    if (event->lanes == ~0u)
        for (int i = 0; i < MERGE_LANES; i++)
            outside |= (event->address[i] - begin) | (last - event->address[i]);
    else
        for (unsigned left = event->lanes; left; left &= left - 1) {
            uint64_t address = event->address[__builtin_ctz(left)];
            outside |= (address - begin) | (last - address);
        }
    return outside >> 63 == 0;
}

bool recent_holds(struct recent *recent, const struct warp_event *event, enum count_space *space)
{
    const struct recent_array *array = place_of(recent, event);
    unsigned long frees = memory_frees();

    if (frees != recent->frees)
        recent->epoch++;
    recent->frees = frees;
    *space = array->space;
    return array->epoch == recent->epoch && all_within(array->range, event);
}

void recent_keep(struct recent *recent, const struct warp_event *event, struct range range,
                 enum count_space space)
{
    *place_of(recent, event) = (struct recent_array){range, space, recent->epoch};
}
