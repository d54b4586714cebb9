/* Reduces the input on the CPU: once exactly, once as a plain loop would, timed. Built with
 * -fwrapv. */
#include "reference.h"
#include "clock.h"
#include "op.h"
#include "value.h"

#include <limits.h>
#include <math.h>

/* x combined with the neutral element is x. */
static sum_t neutral(void)
{
    switch (OP) {
    case OP_max: return ELEM_IS_INT ? (sum_t)INT_MIN : (sum_t)-HUGE_VAL;
    case OP_min: return ELEM_IS_INT ? (sum_t)INT_MAX : (sum_t)HUGE_VAL;
    case OP_prod: return 1;
    default: return 0;
    }
}

/* Not fmax: that would lose a NaN. */
static sum_t combine(sum_t a, sum_t b)
{
    switch (OP) {
    case OP_max: return isnan((double)a) || a > b ? a : b;
    case OP_min: return isnan((double)a) || a < b ? a : b;
    case OP_prod: return a * b;
    default: return a + b;
    }
}

static sum_t loop(sum_t result, const elem_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        result = combine(result, value_of(values[i]));
    return result;
}

/* As often as the period is repeated, and the rest. */
static sum_t plain_loop(const elem_t *values, size_t period, size_t n)
{
    sum_t result = neutral();
    for (; n > period; n -= period)
        result = loop(result, values, period);
    return loop(result, values, n);
}

/* The sums over count values, at most INPUT_PERIOD (input.h): all are exact. An element has 24 bits
 * behind the point at most and is small, so that those of a period fit into a double's 53. */
static struct reference sums_of(const elem_t *values, size_t count)
{
    struct reference sums = {0};

    for (size_t i = 0; i < count; i++) {
        if (ELEM_IS_INT) {
            sums.integer += (int64_t)value_of(values[i]);
        } else {
            sums.real += (double)value_of(values[i]);
            sums.magnitude += fabs((double)value_of(values[i]));
        }
    }
    return sums;
}

struct reference reference_of(const elem_t *values, size_t period, size_t n, bool with_loop)
{
    struct reference ref = {0};
    double start = clock_ms();

    if (with_loop || OP != OP_sum) {
        ref.loop = plain_loop(values, period, n);
        ref.loop_ms = clock_ms() - start;
    }
    if (OP != OP_sum) { /* nothing to round: any order gives the same */
        ref.integer = ELEM_IS_INT ? (int64_t)ref.loop : 0;
        ref.real = (double)ref.loop;
        return ref;
    }
    size_t whole = period ? n / period : 0;
    struct reference all = sums_of(values, period), rest = sums_of(values, n - whole * period);
    ref.integer = (int64_t)whole * all.integer + rest.integer;
    ref.real = (double)whole * all.real + rest.real;
    ref.magnitude = (double)whole * all.magnitude + rest.magnitude;
    return ref;
}
