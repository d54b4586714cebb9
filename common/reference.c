/* Reduces the input on the CPU: once exactly, once as a plain loop would, timed. Built with
 * -fwrapv.
 */
#include "reference.h"
#include "clock.h"
#include "op.h"

#include <limits.h>
#include <math.h>

/* x combined with the neutral element is x. */
static elem_t neutral(void)
{
    switch (OP) {
    case OP_max: return ELEM_IS_INT ? (elem_t)INT_MIN : (elem_t)-HUGE_VAL;
    case OP_min: return ELEM_IS_INT ? (elem_t)INT_MAX : (elem_t)HUGE_VAL;
    case OP_prod: return 1;
    default: return 0;
    }
}

/* Not fmax: that would lose a NaN. */
static elem_t combine(elem_t a, elem_t b)
{
    switch (OP) {
    case OP_max: return isnan((double)a) || a > b ? a : b;
    case OP_min: return isnan((double)a) || a < b ? a : b;
    case OP_prod: return a * b;
    default: return a + b;
    }
}

static elem_t loop(elem_t result, const elem_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result = combine(result, values[i]);
    return result;
}

/* As often as the period is repeated, and the rest. */
static elem_t plain_loop(const elem_t *values, size_t period, size_t n)
{
    elem_t result = neutral();
    for (; n > period; n -= period)
        result = loop(result, values, period);
    return loop(result, values, n);
}

/* Neumaier's compensated summation (1974): `lost` gathers what each addition rounds away. */
static double sum_real(const elem_t *values, size_t count)
{
    double sum = 0, lost = 0;
    for (size_t i = 0; i < count; i++) {
        double next = sum + (double)values[i];
        if (fabs(sum) >= fabs((double)values[i]))
            lost += (sum - next) + (double)values[i];
        else
            lost += ((double)values[i] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

static double sum_magnitude(const elem_t *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs((double)values[i]);
    return sum;
}

static int64_t sum_integer(const elem_t *values, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (int64_t)values[i];
    return sum;
}

struct reference reference_of(const elem_t *values, size_t period, size_t n)
{
    struct reference ref = {0};
    double start = clock_ms();

    ref.loop = plain_loop(values, period, n);
    ref.loop_ms = clock_ms() - start;

    if (OP != OP_sum) { /* nothing to round: any order gives the same */
        ref.integer = ELEM_IS_INT ? (int64_t)ref.loop : 0;
        ref.real = (double)ref.loop;
        return ref;
    }
    size_t whole = period ? n / period : 0, rest = period ? n % period : 0;
    if (ELEM_IS_INT)
        ref.integer = (int64_t)whole * sum_integer(values, period) + sum_integer(values, rest);
    if (ELEM_IS_INT)
        return ref;
    ref.real = (double)whole * sum_real(values, period) + sum_real(values, rest);
    ref.magnitude = (double)whole * sum_magnitude(values, period) + sum_magnitude(values, rest);
    return ref;
}
