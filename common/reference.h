/* The right result, computed on the CPU. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "elem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reference {
    int64_t integer;  /* of ints; a sum is exact, not wrapped, a product is modulo 2^32 */
    double real;      /* of floats or doubles; a sum of a period is exact */
    double magnitude; /* the sum of their absolute values */
    sum_t loop;       /* the result of a plain sequential loop in sum_t (ints wrap); 0 without it */
    double loop_ms;   /* its time on one core */
};

/* Reference for the n elements that repeat values[0 … period-1], in the build's operator. n may be
 * 0: then it is the operator's neutral element. max and min of values one of which is a NaN are
 * NaN, like their sum and product. with_loop: run and time the plain loop over all n, too; that can
 * take seconds, and a sum is known without it. */
struct reference reference_of(const elem_t *values, size_t period, size_t n, bool with_loop);

#endif
