/* An access to a word, and what records say of one (shadow.h). */
#ifndef SIMT_TOUCH_H
#define SIMT_TOUCH_H

#include "judge/finding.h"
#include "judge/shadow.h"
#include "judge/standing.h"

/* An access by lanes of a warp to one address, and in turn to each of its words. */
struct touch {
    struct shadow *shadow;
    bool shared, is_volatile, exchanges, takes; /* exchanges: it is an atomicExch; takes: or an
                                                   atomicCAS */
    uint8_t operation;                          /* EVENT_LOAD, EVENT_STORE, EVENT_ATOMIC */
    unsigned warp, lanes;
    size_t word;
    struct record now; /* the record that it leaves; of a request, its thread and bytes are 0 */
    struct more more;  /* and, of one address, what else it leaves */
    struct standing standing; /* where fences are used: more.standing */
};

/* The word's name in struct pair and for handover.h, where those of different blocks' shared
 * memories differ. */
static inline uint64_t touch_name(const struct touch *touch)
{
    return touch->shared ? (uint64_t)1 << 63 | (uint64_t)touch->now.block << 20 | touch->word
                         : touch->word;
}

/* The access of a lane that left the record, as handover.h asks about it. */
struct happened touch_happened(const struct record *record, const struct more *more, unsigned lane);

/* Who left the record, as this thread of the block, as a finding tells it. */
struct actor touch_actor(const struct record *record, unsigned thread, uint8_t operation);

#endif
