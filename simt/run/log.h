/* A lane's log: room for what it does, event by event. The hooks fill it (watch/hooks.c); this room
 * only keeps it with the lane, where a hook that runs for every access finds it at once. */
#ifndef SIMT_LOG_H
#define SIMT_LOG_H

#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Of a log's events the first is the last of those that were taken out of it, or all zero. Two at
 * its end are spare: one for the place in the order behind a volatile access (watch/hooks.c), one
 * for the end of what is merged (watch/merge.h). */
enum { LOG_EVENTS = 252, LOG_ROOM = LOG_EVENTS - 3, LOG_LEVELS = 14 };

/* What is still to be logged of a lane that is traced: what so many accesses, or ranges, read or
 * stored. range: where the one begins that is being logged now, 0: none. */
struct owed {
    unsigned count;
    struct debt {
        uint64_t key, what; /* as of log.place and log.what */
        uintptr_t address;
        size_t size;
        bool store, range;
    } debt[2];
    uintptr_t range;
};

struct log {
    uintptr_t stack; /* the lane's own stack: its local variables are not memory */
    /* What the last store stored will lie in *value, an EVENT_STORED's key. The hook runs before
     * its store: until the next one it is still in memory, at *pending; from then on, or when
     * pending is value, it is where it belongs. */
    uint64_t *value;
    const uint64_t *pending;
    struct event *next, *end; /* of the room for events. When next is not below end the lane stops
                                 in front of its next event: the room is full, the lane is traced,
                                 or somebody has set end to LOG_STOP. end is NULL where nobody
                                 looks */
    uint64_t path;            /* fields of the key above the current depth */
    uint64_t place;           /* key of the last place at this depth; 0: none */
    uint64_t what;            /* the depth, as an event's second half tells it */
    uint64_t scale;           /* of a key's pc, of this depth: 1 where the key has its lowest bit */
    uint16_t depth;           /* of calls; the kernel's own is 1 */
    uint8_t pieces;           /* so many values before the last one are pending, too */
    bool in_range;    /* a range is being logged, of which no piece is made before all are logged */
    unsigned changes; /* stores, atomics that changed something and looks at the clock; wraps */
    struct event *begin;            /* NULL: nobody looks */
    uint64_t level[LOG_LEVELS + 1]; /* of the calls that lead here, place at each depth from 1 on;
                                       deeper ones share the last */
    struct owed *owed;              /* of a lane that is traced; NULL: it is not */
    uint64_t volatile_key; /* of a volatile load whose place in the order is still to be logged; 0:
                              none */
    uint64_t volatile_what;
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
    log->owed = NULL;
    log->pending = log->value = &log->level[0];
    log->pieces = 0;
    log->next = (struct event *)log; /* not below LOG_STOP */
    log->place = 0;
}

/* In halves: what the processor is still about to write to memory, it hands to a load of no more
 * bytes than were stored; one of more waits until it is written. */
static inline uint64_t log_memory(const uint64_t *word)
{
    const volatile uint32_t *half = (const uint32_t *)word;

    return half[0] | (uint64_t)half[1] << 32;
}

/* No value is pending. */
static inline void log_no_value(struct log *log)
{
    log->pending = log->value = &log->begin[-1].key;
    log->pieces = 0;
}

/* What is pending will not be known. */
static inline void log_forget_values(struct log *log)
{
    if (log->pending != log->value)
        ((struct event *)log->value)->extra = 1;
    log->pending = log->value;
    log->pieces = 0;
}

/* The events from `rest` on have been moved to the log's begin, and those in front are gone. */
static inline void log_move_values(struct log *log, const struct event *rest)
{
    struct event *last = (struct event *)log->value - (rest - log->begin);
    bool known = log->pending == log->value;

    if (last <= log->begin) {
        log_no_value(log);
        return;
    }
    log->value = &last->key;
    if (known)
        log->pending = log->value;
}

/* The lane's last stores have been made, and others may be about to change that memory: all values
 * are where they belong. */
static inline void log_settle(struct log *log)
{
    if (log->pending == log->value)
        return;
    for (struct event *e = (struct event *)log->value - 1; log->pieces && e > log->begin; e--)
        if (e->kind == EVENT_STORED) {
            e->key = log_memory((const uint64_t *)(uintptr_t)e->key);
            e->extra = 0;
            log->pieces--;
        }
    log->pieces = 0;
    *log->value = log_memory(log->pending);
    log->pending = log->value;
}

/* The lane's last event, also when it has been taken out of the log; all zero: there was none. Its
 * address is known of a branch. */
static inline struct event log_last(const struct log *log)
{
    const struct event *last = log->next - 1;

    if (!log->begin)
        return (struct event){0};
    while (last->kind == EVENT_STORED)
        last--;
    return *last;
}

/* Where the lane was then: of a block's end, where the next one begins. */
static inline uint32_t log_last_pc(const struct log *log)
{
    struct event last = log_last(log);

    return last.kind == EVENT_BRANCH ? (uint32_t)last.address : key_pc(last.key, last.depth);
}

#endif
