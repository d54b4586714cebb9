/* Is the result right, and did it come about as it should? */
#ifndef VERDICT_H
#define VERDICT_H

#include "input.h"
#include "reference.h"

#include <stdbool.h>

struct verdict {
    bool right;              /* the result is */
    double error, tolerance; /* of float and double; tolerance 0: equality is asked */
    bool idle;               /* a reduction launched no kernel */
    struct change change;    /* of the input, by a reduction that must leave it */
};

/* OK, or WRONG for any of the reasons above. Pure. */
bool verdict_ok(const struct verdict *verdict);

/* The verdict on a result, as far as that goes: not idle, no change. int: equal modulo 2^32. float,
 * double: equal, or, for uniform values, within the random-walk bound of verdict_tolerance. A NaN
 * is right only where the reference is one (--nan). Pure. */
struct verdict verdict_of(sum_t result, const struct reference *ref, size_t n, bool uniform);

/* The expected result as sum_t holds it: ints wrap. */
sum_t verdict_expected(const struct reference *ref);

/* How far a right sum of n values may be from the true one; magnitude: the sum of their absolute
 * values. Each of the n-1 additions rounds by at most u = 2^-24 (float) or 2^-53 (double) times the
 * partial sum. The signs of these errors are as good as random, so they add up like a random walk:
 * in the worst order, one after the other, to about u * magnitude * sqrt(n / 3) (Higham, Accuracy
 * and Stability of Numerical Algorithms, ch. 4). Three times that is allowed, and one unit for the
 * conversion. */
double verdict_tolerance(double magnitude, size_t n);

#endif
