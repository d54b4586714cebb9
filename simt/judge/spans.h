/* Sets of bytes, as ranges of their numbers that are sorted and apart. Pure. */
#ifndef SIMT_SPANS_H
#define SIMT_SPANS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes begin … end - 1. */
struct span {
    size_t begin, end;
};

/* All zero is the empty set. The owner calls spans_free, after which it is empty. */
struct spans {
    struct span *span;
    size_t count, room;
};

/* Adds bytes of which none lies in front of the set's last span. Ends the program when memory is
 * short, as spans_join does. */
void spans_add(struct spans *set, struct span span);

/* Adds all of another set. */
void spans_join(struct spans *set, const struct spans *more);

/* Do they have a byte in common? *common, the first such bytes that lie together in both. */
bool spans_meet(const struct spans *a, const struct spans *b, struct span *common);

void spans_free(struct spans *set);

#endif
