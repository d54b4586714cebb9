/* Merges the logs of a warp into warp-level events. Counters and trace get each event. */
#include "watch/hooks.h"
#include "run/end.h"
#include "watch/trace.h"

#include <stdlib.h>
#include <string.h>

/* So much longer a log may be if it is not merged at once. */
enum { LOG_LATER = 32 };

/* This room's data of a struct block. */
struct watcher {
    struct block *block;
    bool counts; /* events are counted */
    struct event log[MAX_LANES][LOG_LATER + LOG_EVENTS];
    uint32_t requests[MAX_WARPS]; /* of each warp so far, for the trace */
    struct values *values;        /* of each lane, for the trace: MAX_LANES, or NULL */
    struct {
        uint64_t loaded[2]; /* bytes from global, from shared memory */
        uint32_t busy;      /* lanes that have accessed memory */
        uint32_t few;       /* that have loaded from global memory, few at a time */
        uint32_t row[2];    /* loads by few lanes from global memory; from shared, in a row */
    } work[MAX_WARPS];      /* of each warp */
};

/* A warp whose logs are merged. */
struct merging {
    struct watcher *watcher;
    unsigned warp;
    const struct event *next[WARP_SIZE]; /* behind the merged events in each log */
};

static unsigned long long busiest[2]; /* as in struct simt_so_far, of the launch that runs */

/* Starts a lane's log in this memory. values: of a traced lane; else NULL. */
static void start_log(struct log *log, struct event *events, uintptr_t stack, struct values *values)
{
    *events = (struct event){0};
    memset(log, 0, offsetof(struct log, level)); /* a level is written before it is read */
    log->stack = stack;
    log->begin = log->next = events + 1;
    log->end = values ? LOG_STOP : events + 1 + LOG_ROOM;
    log->values = values;
    log_set_depth(log, 0);
    if (values)
        memset(values, 0, sizeof *values);
}

void warps_block_begin(struct block *block, bool counted)
{
    struct watcher *watcher = block->watcher;

    if (!watcher && !(watcher = block->watcher = calloc(1, sizeof *watcher)))
        end_fatal("no memory for the logs of %d threads", MAX_LANES);
    bool traced = trace_path && counted;
    if (traced && !watcher->values &&
        !(watcher->values = malloc(MAX_LANES * sizeof *watcher->values)))
        end_fatal("no memory for a trace");
    watcher->block = block;
    watcher->counts = counted;
    space_begin();
    for (unsigned i = 0; i < block->launch->threads; i++)
        start_log(&block->lane[i].log, watcher->log[i],
                  (uintptr_t)fiber_stack_end(&block->stacks, (int)i) - FIBER_STACK_BYTES,
                  traced ? &watcher->values[i] : NULL);
    memset(watcher->requests, 0, sizeof watcher->requests);
    memset(watcher->work, 0, sizeof watcher->work);
}

enum { FEW_LANES = 16, FEW_BYTES = 64, IN_A_ROW = 4 };

/* Notes which lanes access memory, and the bytes that few lanes load. */
static void note_work(struct watcher *watcher, unsigned warp, const struct warp_event *event,
                      enum count_space space)
{
    if (space == SPACE_SYNC)
        watcher->work[warp].row[SPACE_SHARED] = 0;
    if (space > SPACE_SHARED)
        return;
    if (event->lanes & ~watcher->work[warp].busy) /* mostly not: counting takes a call */
        lane_so_far.busy += (unsigned)__builtin_popcount(event->lanes & ~watcher->work[warp].busy);
    watcher->work[warp].busy |= event->lanes;
    if (event->kind != EVENT_LOAD)
        return;
    unsigned lanes = (unsigned)__builtin_popcount(event->lanes);
    watcher->work[warp].loaded[space] += event->size * lanes;
    if (watcher->work[warp].loaded[space] > busiest[space])
        busiest[space] = watcher->work[warp].loaded[space];
    if (lanes > FEW_LANES)
        return;
    bool few = ++watcher->work[warp].row[space] > IN_A_ROW;
    if (space == SPACE_GLOBAL) {
        watcher->work[warp].few |= event->lanes; /* not many few that take turns */
        few = few && event->size * lanes <= FEW_BYTES &&
              __builtin_popcount(watcher->work[warp].few) <= FEW_LANES;
    }
    if (few)
        lane_so_far.few[space] += event->size * lanes;
}

/* Counts and traces an event. */
static void count(const struct merging *m, const struct warp_event *event, enum count_space space)
{
    struct watcher *watcher = m->watcher;

    if (event->kind == EVENT_STORE && event->extra & EXTRA_ASYNC)
        return;
    count_event(event, space);
    note_work(watcher, m->warp, event, space);
    if (__builtin_expect(trace_path != NULL, 0) && space != SPACE_CONTROL)
        trace_event(watcher->block, event, m->warp, watcher->requests[m->warp]++, space, m->next);
}

/* Lanes of one request may access several memories; mostly it is one. */
static void take_access(const struct merging *m, struct warp_event *event)
{
    unsigned lanes[SPACE_HOST + 1] = {0};

    if (memory_is_device((void *)event->least) && memory_is_device((void *)event->most))
        lanes[SPACE_GLOBAL] = event->lanes;
    else if (space_is_shared(event->least) && space_is_shared(event->most))
        lanes[SPACE_SHARED] = event->lanes;
    else
        EACH_LANE(lane, event->lanes)
            lanes[space_of(event->address[lane], event->size, event->kind)] |= 1u << lane;
    for (enum count_space space = SPACE_GLOBAL; space <= SPACE_SHARED; space++)
        if ((event->lanes = lanes[space]) != 0)
            count(m, event, space);
}

static void take_event(void *merging, struct warp_event *event)
{
    if (event_is_access(event->kind))
        take_access(merging, event);
    else
        count(merging, event, event->kind == EVENT_BRANCH ? SPACE_CONTROL : SPACE_SYNC);
}

/* The log begins at this event. If the lane is to stop in front of its next one, it still does. */
static inline void begin_log(struct log *log, struct event *begin)
{
    log->begin = begin;
    if (log->end != LOG_STOP)
        log->end = begin + LOG_ROOM;
}

/* Moves the events that were not merged, and the one in front of them, to the begin of the log's
 * memory. */
static void keep_rest(struct log *log, const struct event *merged, struct event *events)
{
    size_t left = (size_t)(log->next - merged);

    if (log->values)
        values_drop(log->values, (size_t)(merged - log->begin));
    events[0] = merged[-1];
    if (left)
        memmove(events + 1, merged, left * sizeof *merged);
    begin_log(log, events + 1);
    log->next = log->begin + left;
}

/* Do all lanes of the warp wait at one barrier, and have room in their logs? They go on together,
 * so their logs, which begin anew, may be merged later. */
static bool may_wait(struct watcher *watcher, struct lane *lane, const struct warp *warp)
{
    const struct log *first = &lane[__builtin_ctz(warp->alive)].log;
    uint64_t place = first->next[-1].key;
    struct event(*events)[LOG_LATER + LOG_EVENTS] = &watcher->log[lane->index];

    if (first->values)
        return false;
    for (unsigned alive = warp->alive; alive; alive >>= 1, lane++, events++) {
        struct log *log = &lane->log;
        if (!(alive & 1))
            continue;
        if (lane->wait != WAIT_BARRIER || log->next[-1].key != place ||
            log->next > *events + LOG_LATER)
            return false;
        begin_log(log, log->next);
    }
    return true;
}

void warps_take(struct block *block, unsigned w)
{
    unsigned behind = block->launch->threads - w * WARP_SIZE;
    unsigned count = behind < WARP_SIZE ? behind : WARP_SIZE, running = 0;
    struct warp *warp = &block->warp[w];
    struct lane *lanes = &block->lane[w * WARP_SIZE];
    static const struct event none = {.key = MERGE_END};
    struct merging m; /* not cleared: that would take as long as setting `next` below */

    if (!block->watcher || (warp->alive && !warp->ready && may_wait(block->watcher, lanes, warp)))
        return;
    m.watcher = block->watcher;
    m.warp = w;
    struct event(*logs)[LOG_LATER + LOG_EVENTS] = &m.watcher->log[w * WARP_SIZE];
    for (unsigned i = 0; i < count; i++) {
        m.next[i] = m.watcher->counts ? logs[i] + 1 : lanes[i].log.next;
        lanes[i].log.next->key = MERGE_END;
        if (warp->alive >> i & 1 && lanes[i].wait == WAIT_LOG)
            running |= 1u << i; /* it may still come to the others' places */
    }
    for (unsigned i = count; i < WARP_SIZE; i++)
        m.next[i] = &none;
    if (m.watcher->counts)
        merge_warp(m.next, running, take_event, &m);
    for (unsigned i = 0; i < count; i++) {
        keep_rest(&lanes[i].log, m.next[i], logs[i]);
        if (running >> i & 1 && lanes[i].log.next < lanes[i].log.begin + LOG_ROOM) {
            lanes[i].wait = WAIT_NOTHING;
            warp->ready |= 1u << i;
        }
    }
}

void warps_launch_end(const struct launch *launch)
{
    for (int space = 0; space < 2; space++)
        lane_so_far.busiest[space] += busiest[space];
    busiest[0] = busiest[1] = 0;
    count_launch_end(launch);
}
