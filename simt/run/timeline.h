/* What happens before what: the host, and what it asked of the device's streams. Pure.
 *
 * A stream does its operations one after the other. Beyond that an operation comes after what the
 * host had waited for when it asked for it, after what the stream was told to wait for, and,
 * between the legacy default stream and the blocking ones, after all that they were asked for
 * before. All threads of the host count as one: how they wait for each other nobody sees. */
#ifndef SIMT_TIMELINE_H
#define SIMT_TIMELINE_H

#include <stdbool.h>

/* An operation: the number-th of its stream, from 1. */
struct moment {
    unsigned stream, number;
};

/* What is over at some point: of stream s the first known[s] operations, of streams from count on
 * none. All zero is the empty horizon. The owner of one calls horizon_free. */
struct horizon {
    unsigned count, *known;
};

static inline bool horizon_has(const struct horizon *horizon, struct moment moment)
{
    return moment.stream < horizon->count && moment.number <= horizon->known[moment.stream];
}

/* Adds what is over in `more`. Ends the program when memory is short, as all of these do. */
void horizon_join(struct horizon *horizon, const struct horizon *more);
void horizon_free(struct horizon *horizon);

/* One that begins with the legacy default stream alone, which is number 0. */
struct timeline;
struct timeline *timeline_new(void);
void timeline_free(struct timeline *t);

/* A new stream's number. Closed, it may be given out again: what the old stream was asked for then
 * comes before what the new one is. */
unsigned timeline_open(struct timeline *t, bool blocking);
void timeline_close(struct timeline *t, unsigned stream);

/* The host asks the stream for an operation. */
struct moment timeline_add(struct timeline *t, unsigned stream);

/* What is over before whatever the stream is asked for next begins. Belongs to the timeline, until
 * its next change. */
const struct horizon *timeline_before_next(struct timeline *t, unsigned stream);

/* What the stream does from here on comes after this. */
void timeline_stream_waits(struct timeline *t, unsigned stream, const struct horizon *horizon);

/* The host goes on when this is over; when all is that the stream was asked for, the legacy one and
 * so all that are blocking; when everything is. */
void timeline_host_waits(struct timeline *t, const struct horizon *horizon);
void timeline_host_waits_for_stream(struct timeline *t, unsigned stream);
void timeline_host_waits_for_all(struct timeline *t);

/* What the host has waited for. */
const struct horizon *timeline_host(const struct timeline *t);

/* All that any stream is asked for from here on comes after all that was asked so far. */
void timeline_serialise(struct timeline *t);

#endif
