/* Is an earlier access to a word ordered before the one that is made now (happens-before)? */
#pragma once

#include "judge/sync.h"

/* An access to a word, while it is compared with the earlier ones on the word's list. */
struct look {
    const struct launch *launch;
    const struct sync *sync;   /* of its block */
    const struct touch *touch; /* the access, which may touch several words */
    struct entry *word;        /* head of the word's list */
    uint64_t name;             /* the word's name (words_name) */
    struct access now;         /* what the access leaves on the list */
    uint32_t lanes;            /* the lane that makes it, as a mask */
    uint32_t before;           /* chain of the word's operation before it; 0: none */
    const struct view *view;   /* its thread's, before the access */
    bool fences;               /* the program has fences */
};

/* The lanes of an earlier access that are not ordered before this one; none if that is no longer
 * known. in_order: this access is a volatile load or an atomic (access_is_in_order). */
unsigned order_unordered(const struct look *look, const struct access *old, unsigned lanes,
                         bool in_order);

/* The lanes that lack the fence behind taking a lock (lock.h). */
unsigned order_lacks_fence(const struct look *look, const struct access *old, unsigned lanes);
