/* Indices that lead out of an array.
 *
 * The kernel's file is compiled with g++'s -fsanitize=bounds-strict, which compares an index with
 * its array's type, row by row, and calls what we define here where it leads out of that. One past
 * the end may be named, as in &a[n]; an array of one element or none may be the begin of a longer
 * one, as at the end of a structure, and is not looked at. */
#ifndef SIMT_STRAY_INDEX_H
#define SIMT_STRAY_INDEX_H

#include "run/lane.h"

/* The array's type as g++ spells it, "int [4]" or "int [4][8]", of type_length characters; how many
 * elements it has; and the index, which is none of theirs. */
struct stray_index {
    const char *type;
    int type_length;
    unsigned long long elements;
    long long index;
};

/* Is told of such an index of the running lane, before the access that it is for. pc: the return
 * address of the check. At first it does nothing. Of the host's indices nothing is told. */
extern void (*stray_index)(const struct lane *lane, const struct stray_index *stray,
                           const void *pc);

#endif
