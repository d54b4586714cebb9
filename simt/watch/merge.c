/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* The lanes that stand at one position, in front of their next events. */
struct group {
    uint64_t key;
    unsigned lanes;
};

/* Where the lanes stand: few groups, mostly one; the one at the smallest position is last. */
struct groups {
    unsigned count;
    struct group group[MERGE_LANES];
};

static inline void add(struct groups *groups, struct group new)
{
    unsigned i = groups->count;

    while (i > 0 && groups->group[i - 1].key < new.key)
        i--;
    if (i > 0 && groups->group[i - 1].key == new.key) {
        groups->group[i - 1].lanes |= new.lanes;
        return;
    }
    for (unsigned k = groups->count++; k > i; k--)
        groups->group[k] = groups->group[k - 1];
    groups->group[i] = new;
}

/* These lanes, of no group, come to their next positions; differ: not all to one. */
static void come(const struct event *next[MERGE_LANES], struct groups *groups, unsigned lanes,
                 bool differ)
{
    if (!differ)
        add(groups, (struct group){next[__builtin_ctz(lanes)]->key, lanes});
    for (unsigned left = differ ? lanes : 0; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        add(groups, (struct group){next[i]->key, 1u << i});
    }
}

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

/* Moves the lanes, all at one place, on behind their next events, which become one warp event.
 * Returns in which bits of their second halves these differ. *part: the lanes part. */
static inline uint64_t step(const struct event *next[MERGE_LANES], unsigned lanes,
                            struct warp_event *event, uint64_t *part)
{
    const struct event *first = next[__builtin_ctz(lanes)];
    uint64_t differ = 0;

    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        const struct event *e = next[i]++;
        event->address[i] = e->address;
        differ |= what_of(e) ^ what_of(first);
        *part |= e[1].key ^ first[1].key;
    }
    event->key = first->key;
    event->kind = first->kind;
    event->depth = first->depth;
    event->size = first->size;
    event->lanes = lanes;
    event->alike = !(differ & ADDRESS);
    return differ;
}

/* Lanes that have taken a step go back. Returns those that did the same as the first. */
static unsigned of_first(const struct event *next[MERGE_LANES], unsigned lanes)
{
    uint64_t what = what_of(next[__builtin_ctz(lanes)] - 1);
    unsigned alike = 0;

    for (unsigned left = lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        alike |= (unsigned)!((what_of(--next[i]) ^ what) & ALIKE) << i;
    }
    return alike;
}

/* Takes the next event of the lanes at the smallest position. Of several kinds of event at one
 * place the first lane's comes first. */
static inline void take(const struct event *next[MERGE_LANES], struct groups *groups,
                        struct warp_event *event)
{
    unsigned lanes = groups->group[--groups->count].lanes;
    uint64_t part = 0;

    if (step(next, lanes, event, &part) & ALIKE) {
        step(next, of_first(next, lanes), event, &part);
        part = 1;
    }
    come(next, groups, lanes, part);
}

void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, const struct warp_event *event), void *context)
{
    struct groups groups = {.count = 0};
    const struct group *end = groups.group; /* the highest position: MERGE_END, if any stands there */
    struct warp_event event;
    uint64_t part = 0;

    for (unsigned i = 0; i < MERGE_LANES; i++)
        part |= next[i]->key ^ next[0]->key;
    come(next, &groups, ~0u, part);
    while (groups.group[groups.count - 1].key != MERGE_END &&
           !(end->key == MERGE_END && end->lanes & running)) {
        take(next, &groups, &event);
        emit(context, &event);
    }
}
