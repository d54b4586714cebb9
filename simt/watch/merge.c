/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* Parts of an event's second half (run/event.h). Events whose kind, depth and size are equal make
 * one warp event; their addresses may differ. */
#define ALIKE   ((uint64_t)0x7ff << 48)
#define ADDRESS (((uint64_t)1 << 48) - 1)
static inline uint64_t what_of(const struct event *e)
{
    uint64_t what;
    memcpy(&what, (const char *)e + sizeof e->key, sizeof what);
    return what;
}

/* Makes one warp event of the next events of the lanes `here`, which are at one place. If these are
 * of several kinds, only those like the first lane's are taken now. True: all of these lanes are at
 * one place again. */
static inline bool take(const struct event *next[MERGE_LANES], uint64_t keys[MERGE_LANES],
                        unsigned here, struct warp_event *event)
{
    const struct event *first = next[__builtin_ctz(here)];
    uint64_t what = what_of(first), part = 0, unlike = 0;

    event->key = first->key;
    event->kind = first->kind;
    event->depth = first->depth;
    event->size = first->size;
    event->extra = first->extra;
    event->lanes = here;
    for (unsigned left = here; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t differ = what_of(next[i]) ^ what;
        if (differ & ALIKE) {
            event->lanes &= ~(left & -left);
            continue;
        }
        event->address[i] = next[i]->address;
        unlike |= differ;
        keys[i] = (++next[i])->key;
        part |= keys[i] ^ first[1].key;
    }
    event->alike = !(unlike & ADDRESS);
    return event->lanes == here && !part;
}

/* The lanes' positions. */
struct standing {
    unsigned first;  /* the lanes at the smallest position, as a mask */
    unsigned ended;  /* the lanes that have no more events */
    uint64_t beyond; /* the smallest position of the other lanes */
};

/* keys[i]: the key of lane i's next event. In the usual case all are equal. */
static inline struct standing positions(const uint64_t keys[MERGE_LANES])
{
    struct standing now = {0, 0, MERGE_END};
    uint64_t least = keys[0], differ = 0;

    for (int i = 0; i < MERGE_LANES; i++)
        differ |= keys[i] ^ keys[0];
    for (int i = 0; i < MERGE_LANES && differ; i++)
        least = keys[i] < least ? keys[i] : least;
    if (!differ)
        return (struct standing){~0u, least == MERGE_END ? ~0u : 0, MERGE_END};
    for (int i = 0; i < MERGE_LANES; i++) {
        now.first |= (unsigned)(keys[i] == least) << i;
        now.ended |= (unsigned)(keys[i] == MERGE_END) << i;
        now.beyond = keys[i] > least && keys[i] < now.beyond ? keys[i] : now.beyond;
    }
    return now;
}

void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, struct warp_event *event), void *context)
{
    struct warp_event event;
    uint64_t keys[MERGE_LANES];
    struct standing now;

    for (int i = 0; i < MERGE_LANES; i++)
        keys[i] = next[i]->key;
    while (now = positions(keys), !(now.ended & (running | (now.first & -now.first)))) {
        unsigned lane = (unsigned)__builtin_ctz(now.first);
        bool together;
        do {
            together = take(next, keys, now.first, &event);
            emit(context, &event);
        } while (together && keys[lane] < now.beyond);
    }
}
