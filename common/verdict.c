/* Compares the device's result with the reference. */
#include "verdict.h"

#include <float.h>
#include <math.h>

double verdict_tolerance(double magnitude, size_t n)
{
    double unit = (sizeof(sum_t) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON) / 2;
    return unit * magnitude * (3 * sqrt((double)n / 3) + 1);
}

sum_t verdict_expected(const struct reference *ref)
{
    /* through uint32_t: modulo 2^32 by definition */
    return ELEM_IS_INT ? (sum_t)(int32_t)(uint32_t)ref->integer : (sum_t)ref->real;
}

bool verdict_ok(const struct verdict *verdict)
{
    return verdict->right && !verdict->idle && !verdict->change.found;
}

struct verdict verdict_of(sum_t result, const struct reference *ref, size_t n, bool uniform)
{
    struct verdict verdict = {0};

    if (!ELEM_IS_INT && isnan(ref->real)) {
        verdict.right = isnan((double)result);
        return verdict;
    }
    if (ELEM_IS_INT || !uniform) {
        verdict.right = result == verdict_expected(ref);
        verdict.error = (double)result - (double)verdict_expected(ref);
        return verdict;
    }
    verdict.error = (double)result - ref->real;
    verdict.tolerance = verdict_tolerance(ref->magnitude, n);
    verdict.right = fabs(verdict.error) <= verdict.tolerance;
    return verdict;
}
