/* The kinds of findings: what each is called, and the rule that it breaks. */
#ifndef SIMT_KINDS_H
#define SIMT_KINDS_H

#include <stdbool.h>

enum finding_kind {
    FINDING_SHARED_RACE,
    FINDING_GLOBAL_RACE,
    FINDING_SHARED_BOUNDS,
    FINDING_GLOBAL_BOUNDS,
    FINDING_ARRAY_BOUNDS,
    FINDING_UNINITIALISED,
    FINDING_UNWRITTEN,
    FINDING_HOST_POINTER,
    FINDING_DEVICE_POINTER,
    FINDING_DIVERGENT_BARRIER,
    FINDING_WARP_OPERATION,
    FINDING_WIDTH,
    FINDING_ACTIVE_MASK,
    FINDING_UNSEEN_ERROR,
    FINDING_COMMON_STORE,
    FINDING_EXCHANGED,
    FINDING_VOLATILE_FLAG,
    FINDING_UNSET,
    FINDING_WRONG_FREE,
    FINDING_REFUSED_COPY,
    FINDING_DIRECTION,
    FINDING_REFUSED_POINTER,
    FINDING_REFUSED_LAUNCH,
    FINDING_HOST_OVERRUN,
    FINDING_DEADLOCK,
    FINDING_MISALIGNED,
    FINDING_NO_MEMORY,
    FINDING_TRAP,
    FINDING_DEVICE_VARIABLE,
    FINDING_DIVISION,
    FINDING_ASSERT,
    FINDING_GRID,
    FINDING_HOST_EARLY,
    FINDING_EARLY,
    FINDING_KINDS
};

/* id: stable, small letters and hyphens, for people and programs to look it up by: FINDINGS.md has
 * a paragraph for each. A note is told like a finding and changes no exit status. */
struct kind {
    const char *id, *title, *rule;
    bool note;
};

extern const struct kind kinds[FINDING_KINDS];

#endif
