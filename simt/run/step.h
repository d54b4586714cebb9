/* What lanes do alike, written down once: a tree of steps.
 *
 * Mostly the lanes of a block do the same, one after the other, and differ in addresses alone. The
 * first leaves a step for each of its hooks; those behind it that come to the same hooks only go
 * from step to step, and leave their addresses there. Where one goes elsewhere the tree has a fork.
 * The hooks make it and go along it (watch/follow.h); watch/trail.h keeps it and merges what the
 * lanes of a warp did. This room only keeps each lane's place with its log. */
#ifndef SIMT_STEP_H
#define SIMT_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* One hook that was called, and how the log of a lane stands behind it: as in struct log, whose
 * `what`, `scale` and `level` follow from depth and path. */
struct step {
    const void *pc;     /* the return address that tells the hook from others */
    struct step *next;  /* a step behind this one, that which was taken last; step_none: there is
                           none */
    struct step *other; /* another one behind the same step */
    uint64_t *row;      /* of an access, or operation between lanes, each lane's address; behind
                           them, of a store, the 8 bytes of memory in which its value is */
    uint64_t key, what; /* the last event up to here; its address, but where there is a row */
    uint64_t place, path;
    struct step *before; /* NULL: a turn begins here */
    struct step *begin;  /* where lanes whose turn ended here begin the next one; NULL: not known */
    struct trail *trail;
    uint32_t lanes;  /* that came here, while they are merged; else 0 */
    uint16_t events; /* so many were logged in this turn up to here, values included */
    uint8_t depth;
    bool silent; /* no event belongs to it */
};

/* Where a lane stands that writes a log of its own; nothing lies behind it. */
extern struct step step_none;

#endif
