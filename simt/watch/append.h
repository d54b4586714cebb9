/* How events get into the log of the running lane: what hooks.c calls for every access, and what it
 * seldom needs. */
#ifndef SIMT_APPEND_H
#define SIMT_APPEND_H

#include "run/lane.h"

/* What follows is told as it happens; NULL, as at first: nobody is. */

/* What the lane was about to store has been stored. */
extern void (*append_told)(const struct lane *lane);

/* Is told that the lane passes a fence (what: as the event's address), or a __syncwarp; that it has
 * made its last logged access, an atomic or volatile one (EVENT_ORDER). Returns, of a store, which
 * it is about to make, whether it settles. */
extern bool (*append_synchronises)(const struct lane *lane, enum event_kind kind, uint64_t what);

/* The log has room for it. */
static inline void append_event(struct log *log, uint64_t key, uint64_t what)
{
    log->next = event_write(log->next, key, what);
}

/* The key of what is done at this pc. */
static inline uint64_t append_key(const struct log *log, uint32_t pc)
{
    return log->path | pc * log->scale; /* in fewer steps than a shift */
}

/* The lane is about to do what an event of this kind tells. Makes room for an event; false: nobody
 * looks. */
bool append_make_room(struct lane *lane, unsigned kind);

static inline bool append_has_room(struct lane *lane, unsigned kind)
{
    return __builtin_expect(lane->log.next < lane->log.end, 1) || append_make_room(lane, kind);
}

/* Somebody is to be told when this store has been made, and those behind it; and it has been. */
void append_expect(struct log *log, uintptr_t address, unsigned size);
void append_stored(struct lane *lane);

static inline void append_settle(struct lane *lane)
{
    if (__builtin_expect(lane->log.stored_size != 0, 0))
        append_stored(lane);
}

/* The lane makes a volatile access, which was logged. Where fences are used, others can rely on it,
 * too. A store gets its place in the order of operations before it is made. A load gets it when it
 * has been made, in front of what the lane does next: what it saw was written by then. */
void append_volatile(struct lane *lane, uintptr_t address, unsigned kind);

/* If it has: others look at what was stored; a load gets its place in the order. */
void append_end_volatile(struct lane *lane);

#endif
