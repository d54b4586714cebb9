/* CUDA's errors, as the parts of the runtime's API share them. */
#ifndef SIMT_ERROR_H
#define SIMT_ERROR_H

#include "cuda_runtime_api.h"
#include "simt_device.h"

#include <stdbool.h>

/* Remembers error as the last one of this host thread unless it is cudaSuccess; returns it. */
cudaError_t error_set(cudaError_t error);

/* An error that was thrown away (simt_discard), or lost when its variable got another result
 * (simt_overwrite). site.kernel is "" unless it was a launch. */
struct unseen_error {
    cudaError_t error;
    struct simt_site site;
    bool overwritten;
};

/* Those that nobody has asked for since, of any host thread: the first of each place, a few places.
 * They belong to the module. */
const struct unseen_error *error_unseen(size_t *count);

enum refusal_kind {
    REFUSAL_SIZE,      /* more bytes than there are */
    REFUSAL_DIRECTION, /* of a copy */
    REFUSAL_POINTER,   /* nothing that the call takes */
    REFUSAL_LAUNCH     /* its configuration */
};

/* A call or a launch that was refused. */
struct refusal {
    enum refusal_kind kind;
    const void *pc;        /* the call's return address; NULL: a launch, */
    struct simt_site site; /* which stands there */
    const void *freed;     /* where the memory in question was freed, as pc; NULL: it is not that */
    char why[240];
};

enum { MOST_REFUSALS = 32 };

/* Keeps what was refused, and as its `why` a sentence (printf's arguments). A few places are kept,
 * each once. */
void error_refuse(const struct refusal *refusal, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All that were kept, at most MOST_REFUSALS. They belong to the module. */
const struct refusal *error_refusals(size_t *count);

/* Has the program asked for the words of an error, to tell them? */
bool error_was_told(void);

#endif
