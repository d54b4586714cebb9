/* The array to be reduced. */
#ifndef INPUT_H
#define INPUT_H

#include "elem.h"
#include "options.h"

#include <stddef.h>

/* Inputs of more elements repeat the first INPUT_PERIOD. */
#define INPUT_PERIOD ((size_t)1 << 24)

/* n elements: values[0 … period-1], repeated as often as it takes. */
struct input {
    elem_t *values;
    size_t period, n;
};

/* An input of opt->n elements from srand(opt->seed), the caller's to free; values is NULL if there
 * is no memory.
 *
 * Sum of int: rand() & 0xFF. With glibc, seed 1 and 2^24 elements the sum is 2139353471, the number
 * that write-up 0 prints. --small: 1 + (rand() & 3). float, double: multiples of one half around
 * zero, so small that every partial sum of up to 2^30 of them is exact in float: any order of
 * summation gives the same bits, and verification is equality. --uniform: values in [0, 1), where
 * every addition rounds. --signed: values in [-1, 1), whose sum is small beside its parts, so that
 * the same errors are large beside it.
 *
 * The other operators have inputs where a wrong padding shows: max only negative values, min only
 * positive ones; prod odd ints, whose product modulo 2^32 is never 0, and for float and double 1 or
 * -1. --nan: the value in the middle is no number. */
struct input input_new(const struct options *opt);
void input_free(struct input *input);

/* Copies the input to the device, where `in` has room for it. */
void input_upload(const struct input *input, elem_t *in);

/* An element of the input that is no longer what it was. */
struct change {
    bool found;
    size_t index;
    elem_t was, is;
};

/* The first element of `in` whose bytes are not those that input_upload copied there. Fetches it
 * from the device piece by piece, so it needs no host memory for n elements. */
struct change input_change(const struct input *input, const elem_t *in);

#endif
