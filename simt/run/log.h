/* A lane's log: room for what it does, event by event. The hooks fill it (watch/hooks.c); this room
 * only keeps it with the lane, where a hook that runs for every access finds it at once. */
#ifndef SIMT_LOG_H
#define SIMT_LOG_H

#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>

/* Of a log's events the first is the last of those that were taken out of it, or all zero. One at
 * its end is spare, for the end of what is merged (watch/merge.h). */
enum { LOG_EVENTS = 252, LOG_ROOM = LOG_EVENTS - 2, LOG_LEVELS = 14 };

struct log {
    uintptr_t stack;          /* the lane's own stack: its local variables are not memory */
    struct event *next, *end; /* of the room for events. When next is not below end the lane stops
                                 in front of its next event: the room is full, the lane is traced,
                                 or somebody has set end to LOG_STOP. end is NULL where nobody
                                 looks */
    uint64_t path;            /* fields of the key above the current depth */
    uint64_t place;           /* key of the last place at this depth; 0: none */
    uint64_t what;            /* the depth, as an event's second half tells it */
    uint64_t scale;           /* of a key's pc, of this depth: 1 where the key has its lowest bit */
    uint16_t depth;           /* of calls; the kernel's own is 1 */
    bool in_range; /* a range is being logged, of which no piece is made before all are logged */
    uint8_t stored_size; /* not 0: at `stored` so many bytes are about to be stored, and somebody is
                            to be told when they have been */
    uintptr_t stored;
    unsigned changes;    /* stores, atomics that changed something and looks at the clock; wraps */
    struct event *begin; /* NULL: nobody looks */
    uint64_t level[LOG_LEVELS + 1]; /* of the calls that lead here, place at each depth from 1 on;
                                       deeper ones share the last */
    struct values *values;          /* of a lane that is traced (watch/trace.h); NULL: it is not */
    bool volatile_load; /* the last access was one, and its place in the order is still to come */
    uintptr_t volatile_store; /* where the last access was one, and polling lanes are still to look
                                 (run/schedule.h); 0: it was none */
};

/* What the events of a depth of calls have in common, once a call instead of once an event. */
static inline void log_set_depth(struct log *log, unsigned depth)
{
    log->depth = (uint16_t)depth;
    log->scale = (uint64_t)1 << event_shift(event_depth(depth));
    log->what = event_what(0, 0, event_depth(depth), 0, 0);
}

/* Below all events. */
#define LOG_STOP ((struct event *)1)

/* Of a lane that nobody looks at nothing is logged. */
static inline void log_nothing(struct log *log)
{
    log->begin = log->end = NULL;
    log->values = NULL;
    log->stored_size = 0;
    log->next = (struct event *)log; /* not below LOG_STOP */
    log->place = 0;
}

/* The lane's last event, also when it has been taken out of the log; all zero: there was none. Its
 * address is known of a branch. */
static inline struct event log_last(const struct log *log)
{
    return log->begin ? log->next[-1] : (struct event){0};
}

/* Where the lane was then: of a block's end, where the next one begins. */
static inline uint32_t log_last_pc(const struct log *log)
{
    struct event last = log_last(log);

    return last.kind == EVENT_BRANCH ? (uint32_t)last.address : key_pc(last.key, last.depth);
}

#endif
