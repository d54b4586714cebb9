/* Which pairs of a launch's accesses to ask about: is the earlier one ordered before the later one?
 * Pure.
 *
 * The accesses to a word that may be in a race are put in an order that no hand-over contradicts,
 * and each is compared with those before it that it conflicts with. */
#ifndef SIMT_QUESTION_H
#define SIMT_QUESTION_H

#include "judge/history.h"

/* Is past[a], by lane[0], ordered before past[b], by lane[1]? */
struct question {
    uint32_t a, b;
    uint8_t lane[2];
    bool ordered;   /* the answer (replay.h) */
    bool unwritten; /* a and b are one: is any other access to the word ordered before it? */
    uint32_t about; /* of a question on two critical sections: that on the accesses in them; of one
                       on an unwritten word the first access to it */
};

struct questions {
    struct question *question; /* the caller's, to be freed */
    size_t count, room;
    bool all; /* none was left out, for want of memory or beyond the bound */
};

/* Leaves in past[] all accesses to contended words, operations among them, sorted. False: no
 * memory. */
bool question_select(struct history *history);

/* The questions on all of past[]. */
struct questions question_all(const struct history *history);

/* One question more, not yet answered; NULL when there is no room. */
struct question *question_add(struct questions *questions, uint32_t a, uint32_t b, unsigned lane_a,
                              unsigned lane_b);

#endif
