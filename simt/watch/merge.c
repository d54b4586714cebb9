/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* Where the lanes stand: those that are at their end; those at the smallest position; and the
 * smallest position of the others, which those must not pass. */
struct survey {
    unsigned ended, first;
    uint64_t others;
};

/* True when all 32 lanes are at the same place. Most of the time they are. */
static bool all_together(const uint64_t keys[MERGE_LANES])
{
    uint64_t difference = 0;
    for (int i = 0; i < MERGE_LANES; i++)
        difference |= keys[i] ^ keys[0];
    return difference == 0;
}

/* keys[i]: of lane i's next event. */
static struct survey survey(const uint64_t keys[MERGE_LANES])
{
    struct survey found = {.others = UINT64_MAX};
    uint64_t least = UINT64_MAX;

    if (all_together(keys)) {
        found.first = ~0u;
        found.ended = keys[0] == MERGE_END ? ~0u : 0;
        return found;
    }
    for (int i = 0; i < MERGE_LANES; i++)
        least = keys[i] < least ? keys[i] : least;
    for (int i = 0; i < MERGE_LANES; i++) {
        uint64_t other = keys[i] == least ? UINT64_MAX : keys[i];
        found.others = other < found.others ? other : found.others;
        found.first |= (unsigned)(keys[i] == least) << i;
        found.ended |= (unsigned)(keys[i] == MERGE_END) << i;
    }
    return found;
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

/* The rest of a warp event whose lanes and addresses are known. */
static inline void describe(struct warp_event *event, const struct event *one)
{
    event->key = one->key;
    event->kind = one->kind;
    event->depth = one->depth;
    event->size = one->size;
    event->extra = one->extra;
}

/* Both halves of an event at once. */
typedef uint64_t halves __attribute__((vector_size(16)));

static inline halves halves_of(const struct event *e)
{
    halves both;
    memcpy(&both, e, sizeof both);
    return both;
}

/* Adds lane i's event to the warp's; in what they are not alike shows in *differ. */
static inline void join(struct warp_event *event, const struct event *e, int i, halves first,
                        halves *differ)
{
    halves both = halves_of(e);

    *differ |= both ^ first;
    event->address[i] = (both & (halves){0, ADDRESS})[1];
}

/* Takes the k-th event of the event's lanes, the first of which is at `one`, into the event, if
 * they are alike. This is the innermost loop of all. */
static inline bool take_alike(struct warp_event *event, const struct event *next[MERGE_LANES],
                              const struct event *one, size_t k)
{
    halves first = halves_of(one), differ = {0, 0};

    if (event->lanes == ~0u)
        for (int i = 0; i < MERGE_LANES; i++)
            join(event, next[i] + k, i, first, &differ);
    else
        for (unsigned left = event->lanes; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            join(event, next[i] + k, i, first, &differ);
        }
    if (differ[0] | (differ[1] & ALIKE))
        return false;
    event->alike = (differ[1] & ADDRESS) == 0;
    return true;
}

/* Merges what the event's lanes, all at one place, do before the position `others`, until they
 * part: mostly they do the same for long. Returns how many events that were; 0 when they do
 * different things at this place. */
static size_t merge_together(const struct event *next[MERGE_LANES], uint64_t others,
                             struct warp_event *event,
                             void (*emit)(void *context, const struct warp_event *event),
                             void *context)
{
    const struct event *leader = next[__builtin_ctz(event->lanes)];
    size_t k;

    for (k = 0; leader[k].key < others && take_alike(event, next, &leader[k], k); k++) {
        describe(event, &leader[k]);
        emit(context, event);
    }
    return k;
}

/* Takes the next event of the lanes `here`, all at one place, into one warp event. Of several kinds
 * of event at one place the first lane's comes first. */
static void take(const struct event *next[MERGE_LANES], unsigned here, struct warp_event *event)
{
    const struct event *first = next[__builtin_ctz(here)];

    event->alike = true;
    event->lanes = 0;
    for (; here; here &= here - 1) {
        int i = __builtin_ctz(here);
        uint64_t what = what_of(next[i]);
        if ((what ^ what_of(first)) & ALIKE)
            continue;
        event->address[i] = what & ADDRESS;
        event->alike &= event->address[i] == first->address;
        event->lanes |= 1u << i;
    }
    describe(event, first);
}

/* These lanes have been merged so many events further. */
static void advance(const struct event *next[MERGE_LANES], uint64_t keys[MERGE_LANES],
                    unsigned lanes, size_t events)
{
    if (lanes == ~0u)
        for (int i = 0; i < MERGE_LANES; i++) {
            next[i] += events;
            keys[i] = next[i]->key;
        }
    else
        for (; lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            next[i] += events;
            keys[i] = next[i]->key;
        }
}

void merge_warp(const struct event *next[MERGE_LANES], unsigned running,
                void (*emit)(void *context, const struct warp_event *event), void *context)
{
    struct warp_event event;
    uint64_t keys[MERGE_LANES];

    advance(next, keys, ~0u, 0);
    for (;;) {
        struct survey now = survey(keys);
        if (now.ended & running || now.ended == ~0u)
            return;
        event.lanes = now.first;
        size_t events = merge_together(next, now.others, &event, emit, context);
        if (events == 0) {
            take(next, now.first, &event);
            emit(context, &event);
            events = 1;
        }
        advance(next, keys, event.lanes, events);
    }
}
