/* CUDA's errors, as the parts of the runtime's API share them. */
#ifndef SIMT_ERROR_H
#define SIMT_ERROR_H

#include "cuda_runtime_api.h"
#include "simt_device.h"

#include <stdbool.h>

/* Remembers error as the last one of this host thread unless it is cudaSuccess; returns it. */
cudaError_t error_set(cudaError_t error);

/* The last error that was thrown away (simt_discard) and that nobody has asked for since, of any
 * host thread; cudaSuccess: there is none. site.kernel is "" unless it was a launch. */
struct unseen_error {
    cudaError_t error;
    struct simt_site site;
};

struct unseen_error error_unseen(void);

/* A call was refused since something did not fit: keeps why, in a sentence (printf's arguments).
 * pc: the call's return address. A few places are kept, each once. Thread-safe. */
void error_refuse(const void *pc, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct refusal {
    const void *pc;
    char why[200];
};

/* All that were kept. They belong to the module. */
const struct refusal *error_refusals(size_t *count);

/* Has the program asked for the words of an error, to tell them? */
bool error_was_told(void);

#endif
