/* Sums the input on the CPU: once exactly, once as a plain loop would, timed. Built with -fwrapv.
 */
#define _POSIX_C_SOURCE 200809L
#include "reference.h"

#include <math.h>
#include <time.h>

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

static int64_t sum_integer(const elem_t *values, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (int64_t)values[i];
    return sum;
}

static elem_t add_up(elem_t sum, const elem_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

struct reference reference_sum(const elem_t *values, size_t period, size_t n)
{
    struct reference ref = {0};
    size_t whole = period ? n / period : 0, rest = period ? n % period : 0;

    if (ELEM_IS_INT)
        ref.integer = (int64_t)whole * sum_integer(values, period) + sum_integer(values, rest);
    else
        ref.real = (double)whole * sum_real(values, period) + sum_real(values, rest);

    double start = now_ms();
    for (size_t k = 0; k < whole; k++)
        ref.loop = add_up(ref.loop, values, period);
    ref.loop = add_up(ref.loop, values, rest);
    ref.loop_ms = now_ms() - start;
    return ref;
}
