/* Merges logs into warp-level events, and hands each to the counters, and to the trace if one is
 * wanted. */
#include "watch/warps.h"
#include "run/end.h"
#include "watch/hooks.h"
#include "watch/launches.h"
#include "watch/space.h"
#include "watch/trace.h"

#include <stdlib.h>
#include <string.h>

/* What is kept of the blocks that run in one place. */
struct watcher {
    struct block *block;
    struct shared_memory shared;
    bool counts;
    struct event log[MAX_LANES][LOG_EVENTS];
    /* for the trace: the block's requests so far, warp by warp; what its lanes read and stored, and
     * of that the next values of the lanes of a warp */
    uint32_t requests[MAX_WARPS];
    struct values *values; /* MAX_LANES of them */
    const struct value *value[WARP_SIZE];
};

static struct count_table counts; /* of the launch that runs */

static struct watcher *watcher_new(struct block *block)
{
    struct watcher *watcher = calloc(1, sizeof *watcher);

    if (!watcher)
        end_fatal("no memory for the logs of %d threads", MAX_LANES);
    watcher->block = block;
    if (trace_wanted && !(watcher->values = calloc(MAX_LANES, sizeof *watcher->values)))
        end_fatal("no memory for a trace");
    return watcher;
}

void warps_block_begin(struct block *block, bool counted)
{
    struct watcher *watcher = block->watcher;

    if (!watcher)
        watcher = block->watcher = watcher_new(block);
    watcher->counts = counted;
    watcher->shared = space_shared_memory();
    for (unsigned i = 0; i < block->launch->threads; i++)
        hooks_start(&block->lane[i].log, watcher->log[i],
                    (uintptr_t)fiber_stack_low(&block->stacks, (int)i),
                    counted && watcher->values ? &watcher->values[i] : NULL);
    memset(watcher->requests, 0, sizeof watcher->requests);
}

/* Lanes by the memory that they touch, of those that may: one request may go to several. Lanes in
 * the same array as one before them need not be looked up. */
static void split_by_space(struct watcher *watcher, const struct warp_event *event,
                           unsigned lanes[2])
{
    enum count_space space = SPACE_NONE;
    struct range range = {UINTPTR_MAX, 0};

    lanes[SPACE_GLOBAL] = lanes[SPACE_SHARED] = 0;
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uintptr_t address = event->address[lane];
        if (address < range.begin || address > range.end - event->size) {
            range = (struct range){UINTPTR_MAX, 0};
            space = space_of(&watcher->shared, address, event->size, event->kind);
            if (space > SPACE_SHARED)
                continue;
            range = space_range(watcher->block, &watcher->shared, address, space);
        }
        lanes[space] |= 1u << lane;
    }
}

/* A request, or an operation between lanes, to the counters and the trace. */
static void count(struct watcher *watcher, const struct warp_event *event, unsigned warp,
                  enum count_space space)
{
    count_event(&counts, event, space);
    if (space == SPACE_GLOBAL && event->kind == EVENT_LOAD) {
        uint64_t *loaded = &watcher->block->warp[warp].loaded;
        *loaded += event->size * (unsigned)__builtin_popcount(event->lanes);
        if (*loaded > counts.busiest)
            counts.busiest = *loaded;
    }
    if (__builtin_expect(trace_wanted, 0) && space != SPACE_CONTROL)
        trace_event(watcher->block, &watcher->shared, event, warp, watcher->requests[warp]++, space,
                    watcher->value);
}

struct merge_context {
    struct watcher *watcher;
    unsigned warp;
};

/* Of each lane of an access what it read or stored. */
static void take_values(const struct merge_context *c, const struct warp_event *event)
{
    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        c->watcher->value[lane] = values_take(&c->watcher->values[c->warp * WARP_SIZE + lane]);
    }
}

static void take_access(const struct merge_context *c, const struct warp_event *event)
{
    unsigned lanes[2];
    split_by_space(c->watcher, event, lanes);

    for (enum count_space space = SPACE_GLOBAL; space <= SPACE_SHARED; space++) {
        if (lanes[space] == event->lanes) {
            count(c->watcher, event, c->warp, space);
        } else if (lanes[space]) {
            struct warp_event part = *event;
            part.lanes = lanes[space];
            count(c->watcher, &part, c->warp, space);
        }
    }
}

static void take_event(void *context, const struct warp_event *event)
{
    const struct merge_context *c = context;

    if (event_is_access(event->kind)) {
        if (c->watcher->values)
            take_values(c, event);
        take_access(c, event);
        return;
    }
    if (event->kind == EVENT_BRANCH)
        count(c->watcher, event, c->warp, SPACE_CONTROL);
    if (event->kind >= EVENT_SYNCTHREADS)
        count(c->watcher, event, c->warp, SPACE_SYNC);
}

/* Moves what was not merged, and the event before it, to the begin of the lane's log. */
static void keep_rest(struct log *log, const struct event *merged)
{
    size_t left = (size_t)(log->next - merged);

    if (merged != log->begin)
        memmove(log->begin - 1, merged - 1, (left + 1) * sizeof *merged);
    log->next = log->begin + left;
}

/* Merges what the lanes of a warp have logged, each by itself. Those that waited for room become
 * ready. */
static void take_logs(struct block *block, unsigned w, unsigned count)
{
    struct warp *warp = &block->warp[w];
    struct lane *lanes = &block->lane[w * WARP_SIZE];
    static const struct event none = {.key = MERGE_END};
    const struct event *next[MERGE_LANES];
    struct watcher *watcher = block->watcher;
    struct merge_context context = {watcher, w};
    unsigned running = 0;

    for (unsigned i = 0; i < count; i++) {
        next[i] = watcher->counts ? lanes[i].log.begin : lanes[i].log.next;
        lanes[i].log.next->key = MERGE_END;
        if (warp->alive >> i & 1 && lanes[i].wait == WAIT_LOG)
            running |= 1u << i;
    }
    for (unsigned i = count; i < WARP_SIZE; i++)
        next[i] = &none;
    if (watcher->counts)
        merge_warp(next, running, take_event, &context);
    for (unsigned i = 0; i < count; i++) {
        keep_rest(&lanes[i].log, next[i]);
        if (running >> i & 1 && lanes[i].log.next < lanes[i].log.begin + LOG_ROOM) {
            lanes[i].wait = WAIT_NOTHING;
            warp->ready |= 1u << i;
        }
    }
}

void warps_take(struct block *block, unsigned warp)
{
    unsigned count = block->launch->threads - warp * WARP_SIZE;

    if (block->watcher)
        take_logs(block, warp, count < WARP_SIZE ? count : WARP_SIZE);
}

void warps_launch_end(const struct launch *launch)
{
    launches_add(launch, counts);
    counts = (struct count_table){0};
    trace_launch_end(launch);
}
