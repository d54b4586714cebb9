/* What the host has asked the device for, and has not waited for yet.
 *
 * Kernels run, and most copies are made, before the call that asks for them returns, which is one
 * of the orders that CUDA allows. Asynchronous copies of pinned memory are put off
 * (SIMT_ASYNC=late) until the host waits for them, or something that comes after them begins: so a
 * program that forgets to wait computes what it may compute on a GPU. All of this is thread-safe.
 */
#ifndef SIMT_ASYNC_H
#define SIMT_ASYNC_H

#include "run/timeline.h"

#include <stddef.h>
#include <stdint.h>

/* `height` rows of `width` bytes, `pitch` bytes apart. */
struct area {
    char *at;
    size_t pitch, width, height;
};

/* A copy, or a fill, that the host has asked for. */
struct transfer {
    struct moment moment;
    const char *call; /* a literal: "cudaMemcpyAsync" */
    const void *pc;   /* its return address */
    struct area to, from;
    bool fills;  /* there is no `from` */
    bool staged; /* asynchronous, from pageable memory: it may be over when the call returns */
};

/* Streams, by numbers; the legacy default stream is 0. */
unsigned async_open(bool blocking);
void async_close(unsigned stream);

/* The stream is asked for something that is done when this has returned: what comes before it is
 * done first. */
struct moment async_begin(unsigned stream);

/* The stream is asked for a copy, which is made at once or, if it may be, late. */
struct moment async_copy(unsigned stream, struct area to, struct area from, bool late);

/* What is over when the stream comes here, its own operations so far among it, becomes *event,
 * whose owner is the caller; and the stream goes on when that is. */
void async_record(unsigned stream, struct horizon *event);
void async_stream_waits(unsigned stream, const struct horizon *event);

/* The host waits. */
void async_wait_for_stream(unsigned stream);
void async_wait_for_event(const struct horizon *event);
void async_wait_for_all(void);

/* How often the host has waited so far. */
unsigned long async_waits(void);

/* Operations of all streams asked for from here on come after those asked for so far. */
void async_serialise(void);

/* Has the host waited for it? */
bool async_is_waited_for(struct moment moment);

/* May an operation of the stream, or one that is over before it, meet one of another stream that
 * nothing orders? Not while there are only the legacy stream and blocking ones that are not used.
 */
bool async_is_alone(unsigned stream);

/* Does somebody tell what the host touches, by async_host_access? Else nothing is put off: a host
 * that polls would wait for ever. */
extern bool async_host_is_seen;

/* Copies that are put off: how many. */
extern unsigned async_pending;

/* The host is about to read size bytes. polls: by a volatile or atomic access. Copies that it may
 * be waiting for are made: it polls what they write, or has read it again and again. */
void async_host_reads(uintptr_t address, size_t size, bool polls, const void *pc);

/* All that is put off is done. Was there anything? */
bool async_do_all(void);

#endif
