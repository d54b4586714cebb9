/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* Keys of the lanes' next events; an empty log's is behind everything. */
static uint64_t next_key(const struct merge_log *log)
{
    return log->next < log->end ? log->next->key : UINT64_MAX;
}

static uint64_t smallest(const uint64_t keys[MERGE_LANES])
{
    uint64_t least = keys[0];
    for (int i = 1; i < MERGE_LANES; i++)
        least = keys[i] < least ? keys[i] : least;
    return least;
}

/* True when all 32 lanes are at the same place. Most of the time they are. */
static bool all_together(const uint64_t keys[MERGE_LANES])
{
    uint64_t difference = 0;
    for (int i = 0; i < MERGE_LANES; i++)
        difference |= keys[i] ^ keys[0];
    return difference == 0;
}

/* Lanes at position key. */
static unsigned lanes_at(const uint64_t keys[MERGE_LANES], uint64_t key)
{
    unsigned lanes = 0;
    for (int i = 0; i < MERGE_LANES; i++)
        lanes |= (unsigned)(keys[i] == key) << i;
    return lanes;
}

/* An event's second half in one: its address, and above bit 48 its kind, depth, size and piece.
 * This is the innermost loop of all. */
static inline uint64_t what_of(const struct event *e)
{
    uint64_t what;
    memcpy(&what, (const char *)e + sizeof e->key, sizeof what);
    return what;
}

/* All of a warp event but its lanes and addresses. */
static inline void describe(struct warp_event *event, const struct event *one)
{
    event->key = one->key;
    event->kind = one->kind;
    event->depth = one->depth;
    event->size = one->size;
    event->piece = one->piece;
    event->alike = false;
}

/* Takes the next event of all 32 lanes into one warp event, if they are alike: take without its
 * branches, for what is the most frequent case by far. */
static bool take_all(struct merge_log logs[MERGE_LANES], uint64_t keys[MERGE_LANES],
                     struct warp_event *event, unsigned *empty)
{
    uint64_t alike = what_of(logs[0].next), differ = 0;

    for (int i = 0; i < MERGE_LANES; i++) {
        uint64_t what = what_of(logs[i].next);
        event->address[i] = what & 0xffffffffffff;
        differ |= what ^ alike;
    }
    if (differ >> 48)
        return false;
    describe(event, logs[0].next);
    event->lanes = ~0u;
    event->alike = differ == 0;
    for (int i = 0; i < MERGE_LANES; i++) {
        logs[i].next++;
        keys[i] = next_key(&logs[i]);
        *empty |= (unsigned)(keys[i] == UINT64_MAX) << i;
    }
    return true;
}

/* Takes the next event of the lanes `here`, all at one place, into one warp event, and returns the
 * lanes whose log is empty now. Of several kinds of event at one place the first lane's comes
 * first. */
static unsigned take(struct merge_log logs[MERGE_LANES], uint64_t keys[MERGE_LANES], unsigned here,
                     struct warp_event *event)
{
    const struct event *first = logs[__builtin_ctz(here)].next;
    const uint64_t alike = what_of(first);
    unsigned taken = 0, empty = 0;

    describe(event, first);
    for (; here; here &= here - 1) {
        int i = __builtin_ctz(here);
        const struct event *e = logs[i].next++;
        uint64_t what = what_of(e);
        if ((what ^ alike) >> 48) {
            logs[i].next--;
            continue;
        }
        event->address[i] = what & 0xffffffffffff;
        taken |= 1u << i;
        keys[i] = next_key(&logs[i]);
        empty |= (unsigned)(keys[i] == UINT64_MAX) << i;
    }
    event->lanes = taken;
    return empty;
}

void merge_warp(struct merge_log logs[MERGE_LANES], unsigned running,
                void (*emit)(void *context, const struct warp_event *event), void *context)
{
    uint64_t keys[MERGE_LANES];
    struct warp_event event;
    unsigned empty = 0;

    for (int i = 0; i < MERGE_LANES; i++) {
        keys[i] = next_key(&logs[i]);
        if (keys[i] == UINT64_MAX)
            empty |= 1u << i;
    }
    while (!(empty & running)) {
        unsigned here = all_together(keys) ? ~0u : lanes_at(keys, smallest(keys));
        if (keys[__builtin_ctz(here)] == UINT64_MAX)
            return;
        if (here != ~0u || !take_all(logs, keys, &event, &empty))
            empty |= take(logs, keys, here, &event);
        emit(context, &event);
    }
}
