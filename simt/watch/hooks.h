/* The compiler's hooks, which fill the lanes' logs and tell the checks of each access; and the way
 * from the logs to counters and trace.
 *
 * g++'s options -fsanitize=thread and -fsanitize-coverage=trace-pc put a call in front of every
 * memory access and at the begin of every basic block. We do not link the sanitizers' runtimes, but
 * define these calls ourselves, as the Linux kernel's KCSAN does. A hook writes an event to the
 * lane's log; the logs of a warp are merged later (merge.h). */
#pragma once

#include "run/lane.h"

/* ---- the listener: the checks are told of each access, fence and jump as it happens ---- */

/* An access that a lane is about to make: two registers. */
struct lane_access {
    uintptr_t address;
    uint32_t pc;   /* as an offset (source.h) */
    uint8_t size;  /* bytes */
    uint8_t kind;  /* enum event_kind */
    uint8_t extra; /* as in struct event */
    uint8_t bytes; /* of a plain access, a mask of those in its first word; else 0 */
};

static inline struct lane_access lane_access(uintptr_t address, unsigned kind, unsigned size,
                                             unsigned extra, uint32_t pc)
{
    bool plain = kind <= EVENT_STORE && !extra;

    return (struct lane_access){
        address,        pc,
        (uint8_t)size,  (uint8_t)kind,
        (uint8_t)extra, plain ? (uint8_t)(size < 4 ? (1u << size) - 1 : 0xf) : 0};
}

/* The listener's answer. */
enum access_verdict {
    ACCESS_FINE,
    ACCESS_SETTLES, /* tell me when the value has been stored */
    ACCESS_REFUSED  /* do not log it */
};

/* The callbacks. All are NULL at first, and a callback that is NULL is not called. */
struct listener {
    /* The lane is about to make an access. */
    enum access_verdict (*access)(const struct lane *lane, struct lane_access access);
    /* The value that the lane was about to store has been stored. */
    void (*stored)(void);
    /* The lane passes a fence or a __syncwarp, or it makes its last logged access, an atomic or
     * volatile one (EVENT_ORDER). what, effect: the event's address and size. A volatile store
     * is told before it is made; true: tell me when the value has been stored. */
    bool (*synchronises)(const struct lane *lane, enum event_kind kind, uint64_t what,
                         enum effect effect);
    /* The lane jumps back, from the end of the basic block with one key to the begin of another. */
    void (*jumps)(const struct lane *lane, uint64_t from, uint64_t to);
    /* The host accesses size bytes of the device's memory, in a file that was compiled with hooks.
     * polls: by a volatile or atomic access. */
    void (*host_access)(uintptr_t address, unsigned size, bool store, bool polls, const void *pc);
};
extern struct listener hooks_listener;

/* ---- hooks.c ---- */

/* Logs a barrier, warp operation or atomic of the running lane, and tells the listener of atomics,
 * fences and their order. pc: the return address of the call in the kernel. */
void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc);

/* Logs an access that the running lane, or the host, is about to make. */
void hooks_access(uintptr_t address, unsigned kind, unsigned size, unsigned extra, const void *pc);

/* The host accesses memory. The listener is told if it is the device's. */
void hooks_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc);

/* ---- due.c: work that is due in front of a lane's next event ----
 *
 * A hook runs before its access. So it is only at the lane's next event that the access has been
 * made, and that the listener can be told of the stored value; and a lane whose log is full waits
 * there until the log has been merged. */

/* Tells the listener that the store has been made. */
void due_tell_stored(struct lane *lane);

/* The lane goes on, so the store that it was about to make has been made. */
static inline void due_settle(struct lane *lane)
{
    if (__builtin_expect(lane->log.storing, 0))
        due_tell_stored(lane);
}

/* The lane is about to make a volatile access, which was logged. In a program with fences it is an
 * operation (judge/sync.h). A store gets its place in the order of operations before it is made. A
 * load gets its place after it has been made, in front of the lane's next event, since the value
 * that it loads has been written by then. */
void due_begin_volatile(struct lane *lane, uintptr_t address, unsigned kind, unsigned size);

/* The volatile access, if there was one, has been made: lanes that poll look at a stored value, and
 * a load gets its place in the order. */
void due_end_volatile(struct lane *lane);

/* Makes room for an event of this kind, and does all that is due in front of an event. False: the
 * event is not logged. */
bool due_make_room(struct lane *lane, unsigned kind);

/* The same, in the usual case without a call. */
static inline bool due_has_room(struct lane *lane, unsigned kind)
{
    return __builtin_expect(lane->log.next < lane->log.end, 1) ||
           (lane->log.end && due_make_room(lane, kind));
}

/* ---- other_calls.c ---- */

/* Logs that memset, memcpy or the like is about to load or store. pc: its return address. */
void pieces_range(const void *address, size_t size, bool store, const void *pc);

/* ---- from the logs to counters and trace (warps.c) ---- */

/* The block begins, and its lanes log from here on. counts: their events are counted, and traced if
 * a trace is wanted. Ends the program when memory is short. */
void warps_block_begin(struct block *block, bool counts);

/* No lane of the warp can run on: merges the logs of its lanes, or empties them if nothing is
 * counted. Lanes that waited for room become ready. */
void warps_take(struct block *block, unsigned warp);

/* A launch whose events were counted has ended. */
void warps_launch_end(const struct launch *launch);
