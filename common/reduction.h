/* What a step hands to the harness: a host function that launches its kernels. */
#ifndef REDUCTION_H
#define REDUCTION_H

#include "elem.h"

#include <stddef.h>

/* Reduces in[0 … n-1], n >= 1, to the one number *out, all launches on the default stream. All
 * three are device pointers; in must not be changed, which is verified. sum_t is elem_t, but for
 * elements of two bytes (elem.h). scratch has room for n elements, and for 64 KiB at least, and
 * what it holds at the start is undefined. Called once untimed before anything is measured: what
 * must be allocated once, is allocated then. */
typedef void reduce_fn(const elem_t *in, sum_t *out, sum_t *scratch, size_t n);

/* The same, but it may overwrite data[0 … n-1], its input: the harness restores that, untimed,
 * before each run. For lab_main_in_place. */
typedef void reduce_in_place_fn(elem_t *data, sum_t *out, sum_t *scratch, size_t n);

#endif
