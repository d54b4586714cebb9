/* Streams, and what the host has asked them for. */
#pragma once

#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>

/* Sets *number to the stream's; 0: the legacy default stream. False if there is none of this
 * handle.
 */
bool stream_number(cudaStream_t stream, unsigned *number);

/* ---- what the host has asked the device for, and has not waited for yet ----
 *
 * Kernels run, and copies are made, before the call that asks for them returns: one of the orders
 * that CUDA allows. Requests are numbered from 1 on. Streams are not kept apart: a wait for one
 * request counts as a wait for all requests before it. */

/* `height` rows of `width` bytes, `pitch` bytes apart. */
struct area {
    char *at;
    size_t pitch, width, height;
};

/* A copy or fill that the host has asked for, and that need not be over when the call returns. */
struct transfer {
    const char *call; /* a literal: "cudaMemcpyAsync" */
    const void *pc;   /* its return address */
    struct area to, from;
    bool fills; /* there is no `from` */
};

/* The host waits for all requests so far; for those up to this number. */
void async_wait(void);
void async_wait_for(unsigned long request);

/* The number of the last request, and of the last one that the host has waited for; 0: none. */
unsigned long async_asked(void);
unsigned long async_waited_for(void);

/* The host asks a stream, by its number (stream.h), for a launch of that number, or, if it is 0,
 * for something else. Returns the launch before, if nothing was asked for in between; else 0. */
unsigned async_use(unsigned stream, unsigned launch);

/* Was it more than one stream so far? */
bool async_used_several(void);
