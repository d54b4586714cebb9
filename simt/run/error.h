/* CUDA's errors, as the parts of the runtime's API share them, and the kinds of bugs. */
#pragma once

#include "cuda_runtime_api.h"
#include "simt_device.h"

#include <stdbool.h>

/* Remembers error as the last one of this host thread unless it is cudaSuccess; returns it. */
cudaError_t error_set(cudaError_t error);

/* ---- bugs ---- */

/* The kinds of findings. */
enum finding_kind {
#define FINDING(name, id, title, family, rule) FINDING_##name,
#define NOTE                                   FINDING
#include "run/kinds.h"
    FINDING_KINDS
};

/* What several kinds have in common. One bug often shows in two ways: where a race has been found,
 * a symptom of it at the same place is not told, too; likewise with bounds. */
enum kind_family {
    KIND_OTHER,
    KIND_RACE,
    KIND_RACE_SYMPTOM,
    KIND_BOUNDS,
    KIND_BOUNDS_SYMPTOM,
    KIND_WARP /* a warp operation's */
};

struct kind {
    const char *id; /* stable, small letters and hyphens: its section's name in FINDINGS.md */
    const char *title;
    enum kind_family family;
    const char *rule; /* one line */
    bool note;        /* it is told like a finding and changes no exit status */
};

extern const struct kind kinds[FINDING_KINDS];

/* A bug that this room sees itself. pc: the return address of the call; NULL: it is a launch, which
 * stands at site. lane: whose it is; NULL: the host's. */
struct complaint {
    enum finding_kind kind;
    const struct lane *lane;
    const void *pc;
    struct simt_site site;
    const void *freed; /* where the memory in question was freed, as pc; NULL: it is not that */
    char text[240];
};

/* An error: what was refused and why, where that is known; else why.text is empty. */
struct refusal {
    struct complaint why;
    cudaError_t error;
    /* It was thrown away at this place (simt_discard), and nobody has asked for it since.
     * site.kernel is "" unless it was a launch. */
    bool unseen;
    struct simt_site site;
    unsigned behind; /* then the last launch had this number */
};

/* The number of the program's last launch; those that are refused count. */
extern unsigned error_launches;

/* Keeps what was refused, a call or a launch, with a sentence (printf's arguments). A few places
 * are kept, each once. Returns the error. */
cudaError_t error_refuse(struct complaint refusal, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All that were kept. They belong to the module. */
const struct refusal *error_refusals(size_t *count);

/* Has the program asked for the words of an error, to tell them? */
bool error_was_told(void);
