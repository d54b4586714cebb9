/* The array to be reduced. */
#ifndef INPUT_H
#define INPUT_H

#include "elem.h"
#include "options.h"

#include <stddef.h>

/* Inputs of more elements repeat the first INPUT_PERIOD. */
#define INPUT_PERIOD ((size_t)1 << 24)

/* Fills values[0 … count-1], count <= INPUT_PERIOD, from srand(opt->seed).
 *
 * Sum of int: rand() & 0xFF. With glibc, seed 1 and 2^24 elements the sum is 2139353471, the number
 * that write-up 0 prints. float, double: multiples of one half around zero, so small that every
 * partial sum of up to 2^30 of them is exact in float: any order of summation gives the same bits,
 * and verification is equality. --uniform: values in [0, 1), where every addition rounds.
 *
 * The other operators have inputs where a wrong padding shows: max only negative values, min only
 * positive ones; prod odd ints, whose product modulo 2^32 is never 0, and for float and double 1 or
 * -1. --nan: the value in the middle is no number. */
void input_fill(elem_t *values, size_t count, const struct options *opt);

/* Elements of the period that an input of n elements uses. */
size_t input_period(size_t n);

/* Copies the period to the device and repeats it there until in, device memory, has n elements. */
void input_upload(elem_t *in, size_t n, const elem_t *values, size_t period);

#endif
