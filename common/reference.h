/* What the sum must be, computed on the CPU. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "elem.h"

#include <stddef.h>
#include <stdint.h>

struct reference {
    int64_t integer; /* the exact sum of ints, not wrapped */
    double real;     /* the sum of floats or doubles, compensated */
    elem_t loop;     /* what a plain sequential loop in elem_t gives (ints wrap) */
    double loop_ms;  /* and how long it took on one core */
};

/* Reference for the n elements that repeat values[0 … period-1]. n may be 0. */
struct reference reference_sum(const elem_t *values, size_t period, size_t n);

#endif
