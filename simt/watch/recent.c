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

static bool all_within(struct range range, const struct warp_event *event)
{
    return range.begin <= event->layout.low && event->layout.high + event->size <= range.end;
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
