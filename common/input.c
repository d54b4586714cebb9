/* Makes the input from the C library's random numbers. */
#define _GNU_SOURCE
#include "input.h"
#include "check.h"
#include "op.h"
#include "value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; /* elements that are fetched at a time */

/* The numbers of rand(), which would take a lock for each. */
static struct random_data numbers;

static void seed_random(unsigned seed)
{
    static char state[128]; /* as many bytes as that of rand() */

    numbers.state = NULL;
    initstate_r(seed, state, sizeof state, &numbers);
}

static int next_random(void)
{
    int value;

    random_r(&numbers, &value);
    return value;
}

static double next_value(const struct options *opt)
{
    if (OP == OP_max)
        return -1.0 - next_random();
    if (OP == OP_min)
        return next_random() | 1;
    if (OP == OP_prod)
        return ELEM_IS_INT ? next_random() | 1 : (next_random() >> 8 & 2) - 1;
    if (opt->small)
        return 1 + (next_random() & 3);
    if (ELEM_IS_INT)
        return next_random() & 0xFF;
    if (!opt->uniform)
        return (next_random() & 15) - 7.5;
    /* 24 bits, so that the value is below 1 in float, too */
    double value = (next_random() >> 7 & 0xFFFFFF) / 16777216.0;
    return opt->is_signed ? 2 * value - 1 : value;
}

struct input input_new(const struct options *opt)
{
    struct input input = {.n = opt->n, .period = opt->n < INPUT_PERIOD ? opt->n : INPUT_PERIOD};

    input.values = malloc(input.period * sizeof(elem_t) + 1);
    if (!input.values)
        return input;
    seed_random(opt->seed);
    for (size_t i = 0; i < input.period; i++)
        input.values[i] = elem_of(next_value(opt));
    if (opt->nan && input.period > 0)
        input.values[input.period / 2] = elem_of(nan(""));
    return input;
}

void input_free(struct input *input)
{
    free(input->values);
}

/* On the device the period is repeated by copies within it. */
void input_upload(const struct input *input, elem_t *in)
{
    size_t have = input->period, count;

    CHECK(cudaMemcpy(in, input->values, have * sizeof(elem_t), cudaMemcpyHostToDevice));
    for (; have < input->n; have += count) {
        count = have < input->n - have ? have : input->n - have;
        CHECK(cudaMemcpy(in + have, in, count * sizeof(elem_t), cudaMemcpyDeviceToDevice));
    }
}

/* Index of the first of count elements that differ; count if none does. */
static size_t first_difference(const elem_t *a, const elem_t *b, size_t count)
{
    size_t i = 0;

    if (memcmp(a, b, count * sizeof *a) == 0)
        return count;
    while (memcmp(&a[i], &b[i], sizeof *a) == 0)
        i++;
    return i;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

struct change input_change(const struct input *input, const elem_t *in)
{
    static elem_t piece[PIECE];
    size_t count;

    for (size_t begin = 0; begin < input->n; begin += count) {
        size_t place = begin % input->period;
        const elem_t *was = &input->values[place];

        count = least(PIECE, least(input->n - begin, input->period - place));
        CHECK(cudaMemcpy(piece, in + begin, count * sizeof *in, cudaMemcpyDeviceToHost));
        size_t i = first_difference(piece, was, count);
        if (i < count)
            return (struct change){true, begin + i, was[i], piece[i]};
    }
    return (struct change){0};
}
