/* The callbacks by which the checks are told of each access, fence and jump as it happens. */
#pragma once

#include "run/lane.h"

/* An access that a lane is about to make. */
struct lane_access {
    uintptr_t address;
    unsigned kind;  /* enum event_kind */
    unsigned size;  /* bytes */
    unsigned extra; /* as in struct event */
    uint32_t pc;    /* as an offset (source.h) */
};

/* The listener's answer. */
enum access_verdict {
    ACCESS_FINE,
    ACCESS_SETTLES, /* tell me when the value has been stored */
    ACCESS_REFUSED  /* do not log it */
};

/* The callbacks of the checks, which are told of everything as it happens. All are NULL at first,
 * and a callback that is NULL is not called. */
struct listener {
    /* The lane is about to make an access. */
    enum access_verdict (*access)(const struct lane *lane, const struct lane_access *access);
    /* The value that the lane was about to store has been stored. */
    void (*stored)(void);
    /* The lane passes a fence or a __syncwarp, or it makes its last logged access, an atomic or
     * volatile one (EVENT_ORDER). what: the event's address. A volatile store is told before it is
     * made; true: tell me when the value has been stored. */
    bool (*synchronises)(const struct lane *lane, enum event_kind kind, uint64_t what);
    /* The lane jumps back, from the end of the basic block with one key to the begin of another. */
    void (*jumps)(const struct lane *lane, uint64_t from, uint64_t to);
    /* The host accesses size bytes of the device's memory, in a file that was compiled with hooks.
     * polls: by a volatile or atomic access. */
    void (*host_access)(uintptr_t address, unsigned size, bool store, bool polls, const void *pc);
};
extern struct listener hooks_listener;
