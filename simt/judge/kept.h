/* Older accesses to a word than the last ones (shadow.h): those with which what comes next has to
 * be compared, too. Lists, of all words together bounded. */
#ifndef SIMT_KEPT_H
#define SIMT_KEPT_H

#include "judge/shadow.h"

/* What a record says, and of which operation it is (EVENT_LOAD, EVENT_STORE, EVENT_ATOMIC). */
struct kept {
    struct record record;
    struct more more;
    const struct shadow *shadow;
    size_t word;
    uint32_t next, count; /* count: of the word's, from here on */
    uint8_t operation;
    bool exchanges, ordered; /* of first accesses (first.h) */
};

/* The first one of the word in this run, and the next one; NULL: there is none. */
struct kept *kept_first(const struct shadow *shadow, size_t word, uint32_t run);
struct kept *kept_next(const struct kept *k);

/* Adds one; false: there is no room, of its word or at all. */
bool kept_add(const struct kept *k);

/* Drops one that follows `before`, or, if that is NULL, is the first of its word. */
void kept_drop(struct kept *before, struct kept *k);

/* One that is on no list: its number, and the one with a number; 0: there is no room, none. */
uint32_t kept_apart(const struct kept *k);
struct kept *kept_at(uint32_t number);

/* The launch has ended. */
void kept_forget(void);

#endif
