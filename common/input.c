/* Makes the input array from the C library's random numbers. */
#include "input.h"

#include <stdlib.h>

size_t input_period(size_t n)
{
    return n < INPUT_PERIOD ? n : INPUT_PERIOD;
}

static elem_t next_value(bool uniform)
{
    if (ELEM_IS_INT)
        return (elem_t)(rand() & 0xFF);
    if (!uniform)
        return (elem_t)((rand() & 15) - 7.5);
    /* 24 bits, so that the value is below 1 in float, too */
    return (elem_t)((rand() >> 7 & 0xFFFFFF) / 16777216.0);
}

void input_fill(elem_t *values, size_t count, unsigned seed, bool uniform)
{
    srand(seed);
    for (size_t i = 0; i < count; i++)
        values[i] = next_value(uniform);
}
