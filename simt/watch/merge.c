/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* Parts of an event's second half (run/event.h). Events whose kind, depth and size are equal make
 * one warp event; their addresses may differ. */
#define ALIKE ((uint64_t)0x7ff << 48)
static inline uint64_t what_of(const struct event *e)
{
    uint64_t what;
    memcpy(&what, (const char *)e + sizeof e->key, sizeof what);
    return what;
}

/* ---- groups: lanes whose next events are at one place ---- */

struct groups {
    unsigned count;
    struct group {
        uint64_t key;
        unsigned lanes;
    } group[MERGE_LANES]; /* in any order */
};

/* Lanes that are in no group move on by so many events, and into the groups there. */
static inline void move(struct groups *groups, const struct event *next[MERGE_LANES],
                        unsigned lanes, unsigned events)
{
    struct group *group = groups->group, *end = group + groups->count;

    for (; lanes; lanes &= lanes - 1) {
        uint64_t key = (next[__builtin_ctz(lanes)] += events)->key;
        if (group == end || group->key != key) { /* mostly it is the last lane's */
            for (group = groups->group; group < end && group->key != key;)
                group++;
            if (group == end)
                *end++ = (struct group){key, 0};
        }
        group->lanes |= lanes & -lanes;
    }
    groups->count = (unsigned)(end - groups->group);
}

/* Takes out the group at the smallest place. *below: the smallest place of the others. */
static inline struct group take_least(struct groups *groups, uint64_t *below)
{
    struct group *least = groups->group, *end = least + groups->count;

    for (struct group *g = least + 1; g < end; g++)
        least = g->key < least->key ? g : least;
    struct group group = *least;
    *least = groups->group[--groups->count];
    *below = MERGE_END;
    for (struct group *g = groups->group; g < end - 1; g++)
        *below = g->key < *below ? g->key : *below;
    return group;
}

/* ---- runs: events that lanes make together, one after the other ---- */

enum { RUN_MOST = 16 };
struct run {
    unsigned lanes;
    unsigned count;            /* of the events */
    uint64_t differ[RUN_MOST]; /* of each, the bits of its second half in which lanes differ */
};

/* Some lanes do something else at one place: the run ends in front of that, or consists of the
 * first lane's event there and of those like it. */
static void shorten(struct run *run, const struct event *const next[MERGE_LANES])
{
    unsigned k = 0;

    while (k < run->count && !(run->differ[k] & ALIKE))
        k++;
    run->count = k > 0 ? k : 1;
    if (k > 0)
        return;
    uint64_t first = what_of(next[__builtin_ctz(run->lanes)]);
    run->differ[0] = 0;
    for (unsigned left = run->lanes; left; left &= left - 1) {
        uint64_t differ = what_of(next[__builtin_ctz(left)]) ^ first;
        if (differ & ALIKE)
            run->lanes &= ~(left & -left);
        else
            run->differ[0] |= differ;
    }
}

/* Sets the run that these lanes, which are at one place, make in front of the place `below`. */
static inline void find_run(struct run *run, const struct event *const next[MERGE_LANES],
                            unsigned lanes, uint64_t below)
{
    const struct event *first = next[__builtin_ctz(lanes)];
    uint64_t all = 0;

    run->lanes = lanes;
    run->count = 0;
    do
        run->differ[run->count++] = 0;
    while (run->count < RUN_MOST && first[run->count].key < below);
    for (unsigned left = lanes & (lanes - 1); left; left &= left - 1) {
        const struct event *event = next[__builtin_ctz(left)];
        unsigned k = 0;
        for (; k < run->count && event[k].key == first[k].key; k++) {
            uint64_t differ = what_of(&event[k]) ^ what_of(&first[k]);
            all |= differ;
            run->differ[k] |= differ;
        }
        run->count = k;
    }
    if (all & ALIKE)
        shorten(run, next);
}

/* Sets the warp event of the run's k-th events. */
static inline void set_event(struct warp_event *event, const struct event *const next[MERGE_LANES],
                             const struct run *run, unsigned k)
{
    const struct event *first = next[__builtin_ctz(run->lanes)] + k;
    uint64_t address = first->address, least = address, most = address;

    event->key = first->key;
    event->kind = first->kind;
    event->depth = first->depth;
    event->size = first->size;
    event->extra = first->extra;
    event->lanes = run->lanes;
    event->behind = k;
    event->alike = !(run->differ[k] & EVENT_ADDRESS);
    if (event->alike) {
        for (int i = 0; i < MERGE_LANES; i++)
            event->address[i] = address;
    } else {
        for (unsigned left = run->lanes; left; left &= left - 1) {
            address = next[__builtin_ctz(left)][k].address;
            event->address[__builtin_ctz(left)] = address;
            least = address < least ? address : least;
            most = address > most ? address : most;
        }
    }
    event->least = least;
    event->most = most;
}

void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, struct warp_event *event), void *context)
{
    struct warp_event event;
    struct groups groups;
    struct run run;
    uint64_t below;

    groups.count = 0;
    move(&groups, next, ~0u, 0);
    for (;;) {
        for (unsigned i = 0; running && i < groups.count; i++)
            if (groups.group[i].key == MERGE_END && groups.group[i].lanes & running)
                return;
        struct group group = take_least(&groups, &below);
        if (group.key == MERGE_END)
            return;
        find_run(&run, next, group.lanes, below);
        for (unsigned k = 0; k < run.count; k++) {
            set_event(&event, next, &run, k);
            emit(context, &event);
        }
        move(&groups, next, run.lanes, run.count);
        move(&groups, next, group.lanes & ~run.lanes, 0);
    }
}
