/* How events get into the log of the running lane. */
#ifndef SIMT_APPEND_H
#define SIMT_APPEND_H

#include "run/lane.h"

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

/* The log is full, or somebody has the lane stop: it waits until it has been merged. */
void append_wait(struct lane *lane);

/* What the lane was about to store has been stored: who waits for that is told. */
extern void (*append_told)(const struct lane *lane);
void append_stored(struct lane *lane);

static inline void append_settle(struct lane *lane)
{
    if (__builtin_expect(lane->log.stored_size != 0, 0))
        append_stored(lane);
}

#endif
