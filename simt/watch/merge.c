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

/* An event's second half in one: its address, and above bit 48 its kind, depth and size. */
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

/* Both halves of an event at once. */
typedef uint64_t halves __attribute__((vector_size(16)));

static inline halves load(const struct event *e)
{
    halves both;
    memcpy(&both, e, sizeof both);
    return both;
}

/* Takes the k-th event of all 32 lanes into one warp event, if they are alike. This is the
 * innermost loop of all. */
static inline bool take_all(const struct merge_log logs[MERGE_LANES], size_t k,
                            struct warp_event *event)
{
    const halves first = load(logs[0].next + k);
    halves differ = {0, 0};

    for (int i = 0; i < MERGE_LANES; i++) {
        const struct event *e = logs[i].next + k;
        differ |= load(e) ^ first;
        event->address[i] = what_of(e) & 0xffffffffffff;
    }
    return (differ[0] | differ[1] >> 48) == 0;
}

/* Merges, with all 32 lanes at the same place and none of their logs empty, until they part or a
 * log is empty: most of the time they do the same for long. False if nothing was merged, because
 * they do different things at this place. */
static bool merge_together(struct merge_log logs[MERGE_LANES], struct warp_event *event,
                           void (*emit)(void *context, const struct warp_event *event),
                           void *context)
{
    size_t room = SIZE_MAX, k;

    for (int i = 0; i < MERGE_LANES; i++) {
        size_t left = (size_t)(logs[i].end - logs[i].next);
        room = left < room ? left : room;
    }
    event->lanes = ~0u;
    for (k = 0; k < room && take_all(logs, k, event); k++) {
        describe(event, logs[0].next + k);
        emit(context, event);
    }
    for (int i = 0; i < MERGE_LANES; i++)
        logs[i].next += k;
    return k > 0;
}

/* Keys of the next events; returns the lanes whose logs are empty. */
static unsigned look_ahead(const struct merge_log logs[MERGE_LANES], uint64_t keys[MERGE_LANES])
{
    unsigned empty = 0;

    for (int i = 0; i < MERGE_LANES; i++) {
        keys[i] = next_key(&logs[i]);
        empty |= (unsigned)(keys[i] == UINT64_MAX) << i;
    }
    return empty;
}

void merge_warp(struct merge_log logs[MERGE_LANES], unsigned running,
                void (*emit)(void *context, const struct warp_event *event), void *context)
{
    uint64_t keys[MERGE_LANES];
    struct warp_event event;
    unsigned empty = look_ahead(logs, keys);

    while (!(empty & running) && empty != ~0u) {
        bool together = all_together(keys);
        if (together && merge_together(logs, &event, emit, context)) {
            empty = look_ahead(logs, keys);
            continue;
        }
        empty |= take(logs, keys, together ? ~0u : lanes_at(keys, smallest(keys)), &event);
        emit(context, &event);
    }
}
