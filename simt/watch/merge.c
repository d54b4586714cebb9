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
 * of event at one place the first lane's comes first. True: all are at one place again. */
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

/* Where the lanes stand: those at the smallest position, the smallest one beyond, and who has
 * ended. keys[i]: of lane i's next event. Mostly all are at one position. */
struct standing {
    unsigned first, ended;
    uint64_t beyond;
};

static inline struct standing stand(const uint64_t keys[MERGE_LANES])
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
    while (now = stand(keys), !(now.ended & (running | (now.first & -now.first)))) {
        unsigned lane = (unsigned)__builtin_ctz(now.first);
        bool together;
        do {
            together = take(next, keys, now.first, &event);
            emit(context, &event);
        } while (together && keys[lane] < now.beyond);
    }
}
