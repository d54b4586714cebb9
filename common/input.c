/* Makes the input from the C library's random numbers. */
#include "input.h"
#include "check.h"
#include "op.h"

#include <math.h>
#include <stdlib.h>

size_t input_period(size_t n)
{
    return n < INPUT_PERIOD ? n : INPUT_PERIOD;
}

static elem_t next_value(bool uniform)
{
    if (OP == OP_max)
        return (elem_t)(-1.0 - rand());
    if (OP == OP_min)
        return (elem_t)(rand() | 1);
    if (OP == OP_prod)
        return ELEM_IS_INT ? (elem_t)(rand() | 1) : (elem_t)((rand() >> 8 & 2) - 1);
    if (ELEM_IS_INT)
        return (elem_t)(rand() & 0xFF);
    if (!uniform)
        return (elem_t)((rand() & 15) - 7.5);
    /* 24 bits, so that the value is below 1 in float, too */
    return (elem_t)((rand() >> 7 & 0xFFFFFF) / 16777216.0);
}

void input_fill(elem_t *values, size_t count, const struct options *opt)
{
    srand(opt->seed);
    for (size_t i = 0; i < count; i++)
        values[i] = next_value(opt->uniform);
    if (opt->nan && count > 0)
        values[count / 2] = (elem_t)nan("");
}

void input_upload(elem_t *in, size_t n, const elem_t *values, size_t period)
{
    CHECK(cudaMemcpy(in, values, period * sizeof(elem_t), cudaMemcpyHostToDevice));
    for (size_t have = period; have < n;) {
        size_t count = have < n - have ? have : n - have;
        CHECK(cudaMemcpy(in + have, in, count * sizeof(elem_t), cudaMemcpyDeviceToDevice));
        have += count;
    }
}
