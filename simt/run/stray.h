/* Inside the CPU backend: what becomes of the value that a shuffle gets from a lane which takes no
 * part. It is undefined, which matters only to who uses it: many reductions of a part of a warp
 * throw it away. (Not so where the mask names that lane, and it ends instead: whether it is still
 * there at the shuffle is chance, and if it is, it must take part.) So it is followed, by what it
 * would be after a sum, a product or the like with the lane's own value, through further shuffles,
 * into stores and atomics, where it becomes a complaint (observer.h). */
#ifndef SIMT_STRAY_H
#define SIMT_STRAY_H

#include "run/lane.h"

/* What such a shuffle gives: a large integer, or a NaN of which processors keep all bits in
 * whatever is computed with it. */
#define STRAY_VALUE ((uint64_t)0x7ffe5eed7ffe5eed)

/* A shuffle of these lanes is complete, and each has its result; sources: the lanes that they ask,
 * of which those outside of `arrived` take no part. */
void stray_shuffled(struct lane *lanes, unsigned arrived, const int sources[WARP_SIZE]);

/* The lane, which has `strayed`, hands values of `size` bytes each to memory. */
void stray_used(struct lane *lane, const void *values, size_t count, size_t size);

#endif
