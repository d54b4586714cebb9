/* Work that is due in front of a lane's next event.
 *
 * A hook runs before its access. So it is only at the lane's next event that the access has been
 * made, and that the listener can be told of the stored value; and a lane whose log is full waits
 * there until the log has been merged. */
#pragma once

#include "watch/listener.h"

/* A store is about to be made, and the listener is to be told when it has been. If the lane is
 * already waiting for such a store, the listener is told of both together. */
static inline void due_expect_store(struct log *log, uintptr_t address, unsigned size)
{
    if (log->stored_size)
        return;
    log->stored = address;
    log->stored_size = (uint8_t)size;
}

/* Tells the listener that the store has been made. */
void due_tell_stored(struct lane *lane);

/* The lane goes on, so the store that it was about to make has been made. */
static inline void due_settle(struct lane *lane)
{
    if (__builtin_expect(lane->log.stored_size != 0, 0))
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
    return __builtin_expect(lane->log.next < lane->log.end, 1) || due_make_room(lane, kind);
}
