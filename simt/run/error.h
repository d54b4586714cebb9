/* CUDA's errors, which the parts of the runtime's API share, and the kinds of findings. */
#pragma once

#include "cuda_runtime_api.h"
#include "simt_device.h"

#include <stdbool.h>

/* Keeps the error as this host thread's last one, unless it is cudaSuccess. Returns it. */
cudaError_t error_set(cudaError_t error);

/* ---- findings ---- */

enum finding_kind {
#define FINDING(name, id, title, family, rule) FINDING_##name,
#define NOTE                                   FINDING
#include "run/kinds.h"
    FINDING_KINDS
};

/* Kinds of one family may come from one bug. Where a race is found, its symptoms at the same place
 * are not told, too; likewise with bounds. */
enum kind_family {
    KIND_OTHER,
    KIND_RACE,
    KIND_RACE_SYMPTOM,
    KIND_BOUNDS,
    KIND_BOUNDS_SYMPTOM,
    KIND_WARP /* misuse of a warp operation */
};

struct kind {
    const char *id;          /* stable, small letters and hyphens; its section in FINDINGS.md */
    const char *title;       /* a few words */
    enum kind_family family; /* see above */
    const char *rule;        /* what is wrong and what would be right, as one line */
    bool note;               /* it is told like a finding, but changes no exit status */
};

extern const struct kind kinds[FINDING_KINDS];

/* A bug that this room sees. */
struct complaint {
    enum finding_kind kind;
    const struct lane *lane; /* NULL: the host's */
    const void *pc;          /* the return address of the call; NULL: it is a launch, at site */
    struct simt_site site;   /* of a launch */
    const void *freed;       /* where the memory in question was freed; NULL: it was not */
    char text[240];          /* a sentence that says what happened */
};

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
