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
 * of several kinds, only those like the first lane's are taken now. */
static inline void take(const struct event *next[MERGE_LANES], uint64_t keys[MERGE_LANES],
                        unsigned here, struct warp_event *event)
{
    const struct event *first = next[__builtin_ctz(here)];
    uint64_t what = what_of(first), unlike = 0;

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
    }
    event->alike = !(unlike & ADDRESS);
}

/* The lanes whose key is this one. */
static inline unsigned lanes_at(const uint64_t keys[MERGE_LANES], uint64_t key)
{
    unsigned lanes = 0;

    for (int i = 0; i < MERGE_LANES; i++)
        lanes |= (unsigned)(keys[i] == key) << i;
    return lanes;
}

void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, struct warp_event *event), void *context)
{
    struct warp_event event;
    uint64_t keys[MERGE_LANES]; /* of the lanes' next events */

    for (int i = 0; i < MERGE_LANES; i++)
        keys[i] = next[i]->key;
    for (;;) {
        uint64_t least = keys[0], differ = 0;
        for (int i = 0; i < MERGE_LANES; i++)
            differ |= keys[i] ^ least; /* in the usual case all are equal */
        for (int i = 0; i < MERGE_LANES && differ; i++)
            least = keys[i] < least ? keys[i] : least;
        if (least == MERGE_END || (running && lanes_at(keys, MERGE_END) & running))
            return;
        take(next, keys, differ ? lanes_at(keys, least) : ~0u, &event);
        emit(context, &event);
    }
}
