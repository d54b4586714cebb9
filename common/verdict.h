/* Is the result right? */
#ifndef VERDICT_H
#define VERDICT_H

#include "reference.h"

#include <stdbool.h>

struct verdict {
    bool ok;
    double error, tolerance; /* of float and double; tolerance 0: equality is asked */
};

/* int: equal modulo 2^32. float, double: equal, or, for uniform values, within the random-walk
 * bound of verdict_tolerance. A NaN is right only where the reference is one (--nan). Pure. */
struct verdict verdict_of(elem_t result, const struct reference *ref, size_t n, bool uniform);

/* The expected result as elem_t holds it: ints wrap. */
elem_t verdict_expected(const struct reference *ref);

/* How far a right sum of n values in [0, 1) may be from the true one. Each of the n-1 additions
 * rounds by at most u = 2^-24 (float) or 2^-53 (double) times the partial sum. The signs of these
 * errors are as good as random, so they add up like a random walk: in the worst order, one after
 * the other, to about u * sum * sqrt(n / 3) (Higham, Accuracy and Stability of Numerical
 * Algorithms, ch. 4). Three times that is allowed, and one unit for the conversion. */
double verdict_tolerance(double sum, size_t n);

#endif
