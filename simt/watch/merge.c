/* Merges the logs of a warp's lanes, smallest position first. */
#include "watch/merge.h"

#include <string.h>

/* Where the lanes stand: those whose logs are empty; those at the smallest position; and the
 * smallest position of the others, which those must not pass. */
struct survey {
    unsigned empty, first;
    uint64_t others;
};

/* Key of the lane's next event; an empty log's is behind everything. */
static uint64_t next_key(const struct merge_log *log)
{
    return log->next < log->end ? log->next->key : UINT64_MAX;
}

/* True when all 32 lanes are at the same place. Most of the time they are. */
static bool all_together(const uint64_t keys[MERGE_LANES])
{
    uint64_t difference = 0;
    for (int i = 0; i < MERGE_LANES; i++)
        difference |= keys[i] ^ keys[0];
    return difference == 0;
}

static struct survey survey(const struct merge_log logs[MERGE_LANES])
{
    struct survey found = {.others = UINT64_MAX};
    uint64_t keys[MERGE_LANES], least = UINT64_MAX;

    for (int i = 0; i < MERGE_LANES; i++) {
        keys[i] = next_key(&logs[i]);
        found.empty |= (unsigned)(keys[i] == UINT64_MAX) << i;
    }
    if (all_together(keys)) {
        found.first = ~0u;
        return found;
    }
    for (int i = 0; i < MERGE_LANES; i++) {
        if (keys[i] < least) {
            found.others = least;
            found.first = 0;
            least = keys[i];
        }
        if (keys[i] == least)
            found.first |= 1u << i;
        else if (keys[i] < found.others)
            found.others = keys[i];
    }
    return found;
}

/* An event's second half in one: its address, from bit 48 on its kind, depth and size, by which
 * lanes are alike, and from bit 59 on what more there is. This is the innermost loop of all. */
#define ALIKE      ((uint64_t)0x7ff << 48)
#define ADDRESS    (((uint64_t)1 << 48) - 1)
#define LANE_SHIFT (59 + EXTRA_LANE_SHIFT)
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
    event->extra = one->extra;
}

/* Both halves of an event at once. */
typedef uint64_t halves __attribute__((vector_size(16)));

/* Adds the lane's k-th event to the warp's; in what they are not alike shows in *differ. */
static inline void join(struct warp_event *event, const struct merge_log logs[MERGE_LANES], int i,
                        size_t k, halves first, halves *differ)
{
    const struct event *e = logs[i].next + k;
    halves both;

    memcpy(&both, e, sizeof both);
    *differ |= both ^ first;
    event->address[i] = what_of(e) & ADDRESS;
    event->own[i] = (uint8_t)(what_of(e) >> LANE_SHIFT);
}

/* Takes the k-th event of the event's lanes, `leader` the first of them, into the event, if they
 * are alike. This is the innermost loop of all. */
static inline bool take_alike(struct warp_event *event, const struct merge_log logs[MERGE_LANES],
                              int leader, size_t k)
{
    halves first, differ = {0, 0};

    memcpy(&first, logs[leader].next + k, sizeof first);
    if (event->lanes == ~0u)
        for (int i = 0; i < MERGE_LANES; i++)
            join(event, logs, i, k, first, &differ);
    else
        for (unsigned left = event->lanes; left; left &= left - 1)
            join(event, logs, __builtin_ctz(left), k, first, &differ);
    event->alike = event->lanes == ~0u && (differ[1] & ADDRESS) == 0;
    return (differ[0] | (differ[1] & ALIKE)) == 0;
}

/* Merges what the event's lanes, all at one place, do before the position `others`, until they part
 * or a log is empty: mostly they do the same for long. Returns how many events that were; 0 when
 * they do different things at this place. */
static size_t merge_together(struct merge_log logs[MERGE_LANES], uint64_t others,
                             struct warp_event *event,
                             void (*emit)(void *context, const struct warp_event *event),
                             void *context)
{
    int leader = __builtin_ctz(event->lanes);
    size_t room = SIZE_MAX, k;

    for (unsigned left = event->lanes; left; left &= left - 1) {
        const struct merge_log *log = &logs[__builtin_ctz(left)];
        size_t length = (size_t)(log->end - log->next);
        room = length < room ? length : room;
    }
    for (k = 0; k < room; k++) {
        const struct event *one = logs[leader].next + k;
        if (one->key >= others || !take_alike(event, logs, leader, k))
            break;
        describe(event, one);
        event->ahead = (int)k;
        emit(context, event);
    }
    for (unsigned left = event->lanes; left; left &= left - 1)
        logs[__builtin_ctz(left)].next += k;
    return k;
}

/* Takes the next event of the lanes `here`, all at one place, into one warp event. Of several kinds
 * of event at one place the first lane's comes first. */
static void take(struct merge_log logs[MERGE_LANES], unsigned here, struct warp_event *event)
{
    const struct event *first = logs[__builtin_ctz(here)].next;
    const uint64_t alike = what_of(first);

    describe(event, first);
    event->ahead = -1;
    event->alike = false;
    event->lanes = 0;
    for (; here; here &= here - 1) {
        int i = __builtin_ctz(here);
        uint64_t what = what_of(logs[i].next);
        if ((what ^ alike) & ALIKE)
            continue;
        event->address[i] = what & ADDRESS;
        event->own[i] = (uint8_t)(what >> LANE_SHIFT);
        event->lanes |= 1u << i;
        logs[i].next++;
    }
}

void merge_warp(struct merge_log logs[MERGE_LANES], unsigned running,
                void (*emit)(void *context, const struct warp_event *event), void *context)
{
    struct warp_event event;

    for (;;) {
        struct survey now = survey(logs);
        if (now.empty & running || now.empty == ~0u)
            return;
        event.lanes = now.first;
        if (merge_together(logs, now.others, &event, emit, context) == 0) {
            take(logs, now.first, &event);
            emit(context, &event);
        }
    }
}
