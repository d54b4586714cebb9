/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* An event's second half in one: its address, from bit 48 on its kind, depth and size, by which
 * lanes are alike, and from bit 59 on what more there is. */
#define ALIKE   ((uint64_t)0x7ff << 48)
#define ADDRESS (((uint64_t)1 << 48) - 1)
static inline uint64_t what_of(const struct event *e)
{
    uint64_t what;
    memcpy(&what, (const char *)e + sizeof e->key, sizeof what);
    return what;
}

/* Takes the next event of the lanes `here`, all at one place, into one warp event. Of several kinds
 * of event at one place the first lane's comes first. */
static inline void take(const struct event *next[MERGE_LANES], uint64_t keys[MERGE_LANES],
                        unsigned here, struct warp_event *event)
{
    const struct event *first = next[__builtin_ctz(here)];
    uint64_t what = what_of(first);

    event->key = first->key;
    event->kind = first->kind;
    event->depth = first->depth;
    event->size = first->size;
    event->alike = true;
    event->lanes = 0;
    for (; here; here &= here - 1) {
        int i = __builtin_ctz(here);
        uint64_t differ = what_of(next[i]) ^ what;
        if (differ & ALIKE)
            continue;
        event->address[i] = next[i]->address;
        event->alike &= (differ & ADDRESS) == 0;
        event->lanes |= 1u << i;
        keys[i] = (++next[i])->key;
    }
}

/* The lanes at the smallest position; keys[i]: of lane i's next event. Mostly it is all of them. */
static inline unsigned first_lanes(const uint64_t keys[MERGE_LANES])
{
    uint64_t least = keys[0], differ = 0;
    unsigned first = 0;

    for (int i = 0; i < MERGE_LANES; i++)
        differ |= keys[i] ^ keys[0];
    if (!differ)
        return ~0u;
    for (int i = 0; i < MERGE_LANES; i++)
        least = keys[i] < least ? keys[i] : least;
    for (int i = 0; i < MERGE_LANES; i++)
        first |= (unsigned)(keys[i] == least) << i;
    return first;
}

static inline bool any_ended(const uint64_t keys[MERGE_LANES], unsigned lanes)
{
    for (; lanes; lanes &= lanes - 1)
        if (keys[__builtin_ctz(lanes)] == MERGE_END)
            return true;
    return false;
}

void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, const struct warp_event *event), void *context)
{
    struct warp_event event;
    uint64_t keys[MERGE_LANES];
    unsigned first;

    for (int i = 0; i < MERGE_LANES; i++)
        keys[i] = next[i]->key;
    while (first = first_lanes(keys), !any_ended(keys, running | (first & -first))) {
        take(next, keys, first, &event);
        emit(context, &event);
    }
}
