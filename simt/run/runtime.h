/* What CUDA's calls share: the last error and those that the program has not looked at (error.c);
 * streams, and the requests that the host has made of them (stream.c). */
#pragma once

#include "run/observer.h"

/* ---- errors ---- */

/* Keeps the error as this host thread's last one, unless it is cudaSuccess. Returns it. */
cudaError_t error_set(cudaError_t error);

/* An error that the runtime has returned. */
struct refusal {
    struct complaint why; /* what was refused and why; its text is empty if that is not known */
    cudaError_t error;
    bool unseen;           /* the program has thrown it away (simt_discard), and not asked for it
                              since, */
    struct simt_site site; /* at this place; site.kernel is "" unless it was a launch, */
    unsigned behind;       /* when the last launch had this number */
};

/* The number of the program's last launch. Refused launches count. */
extern unsigned error_launches;

/* Keeps why a call or a launch was refused, as a sentence (printf's arguments). Of each place the
 * first refusal is kept, up to some 30 places. Returns the error. */
cudaError_t error_refuse(struct complaint refusal, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All refusals that were kept. They belong to error.c. */
const struct refusal *error_refusals(size_t *count);

/* Has the program asked for the text of an error? Then it probably prints errors. */
bool error_was_told(void);

/* ---- streams ---- */

/* Sets *number to the stream's number; 0 is the legacy default stream. False: no stream has this
 * handle. */
bool stream_number(cudaStream_t stream, unsigned *number);

/* ---- requests: launches, copies and fills that the host has asked for ----
 *
 * Kernels run, and copies are made, before the call that asks for them returns: one of the orders
 * that CUDA allows. Requests are numbered from 1 on. Streams are not kept apart: a wait for one
 * request counts as a wait for all requests before it. */

/* Memory that a copy or fill reads or writes. */
struct area {
    char *at;             /* the first row */
    size_t pitch;         /* bytes from one row to the next */
    size_t width, height; /* bytes of a row; rows */
};

/* A copy or fill that the host has asked for, and that need not be over when the call returns. */
struct transfer {
    const char *call; /* a literal: "cudaMemcpyAsync" */
    const void *pc;   /* its return address */
    struct area to, from;
    bool fills; /* it has no `from` */
};

/* The host waits for all requests so far; for all up to this number. */
void async_wait(void);
void async_wait_for(unsigned long request);

/* The number of the last request, and of the last one that the host has waited for; 0: none. */
unsigned long async_asked(void);
unsigned long async_waited_for(void);

/* The host asks the stream of this number for the launch of this number; 0: for something else.
 * Returns the number of the stream's launch before, or 0 if something else came between. */
unsigned async_use(unsigned stream, unsigned launch);

/* Has the host used more than one stream so far? */
bool async_used_several(void);
