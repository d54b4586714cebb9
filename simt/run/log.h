/* A lane's log: room for what it does, event by event. The hooks fill it (watch/hooks.c); this room
 * only keeps it with the lane, where a hook that runs for every access finds it at once. */
#ifndef SIMT_LOG_H
#define SIMT_LOG_H

#include "run/event.h"

#include <stddef.h>

/* LOG_ROOM: the last event's place is spare (watch/hooks.c, order_volatile_load). */
enum { LOG_EVENTS = 252, LOG_ROOM = LOG_EVENTS - 1, LOG_LEVELS = 16 };

struct log {
    struct event *next,
        *end; /* of the room for events; NULL: nobody looks, nothing is logged. The watchdog sets it
                 to next, to have the lane stop at its next event */
    uintptr_t stack; /* the lane's own stack: its local variables are not memory */
    uint64_t path;   /* fields of the key above the current depth */
    uint64_t last;   /* key of the last event of any kind, and its pc */
    uint32_t last_pc;
    unsigned depth;     /* of calls; the kernel's own is 1 */
    uint64_t *place;    /* its level */
    unsigned shift;     /* where a key of this depth has its pc, */
    unsigned key_depth; /* and the depth as an event tells it */
    unsigned changes;   /* stores, atomics that changed something and looks at the clock; wraps */
    uint64_t level[LOG_LEVELS + 1]; /* key of the last place at each depth; 0: none. Deeper calls
                                       share the last one */
    struct event *begin;            /* NULL: nobody looks */
    uint64_t volatile_key; /* of a volatile load whose place in the order is still to be logged; 0:
                              none */
    unsigned volatile_depth;
    /* of a lane that is traced: accesses, or ranges, of which it is still to be logged what they
     * read or stored; and where the range begins that is being logged now, 0: none */
    bool traced;
    unsigned owes;
    struct owed {
        uint64_t key;
        uintptr_t address;
        size_t size;
        unsigned depth;
        bool store, range;
    } owed[2];
    uintptr_t range;
};

#endif
