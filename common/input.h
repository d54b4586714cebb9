/* The array to be summed. */
#ifndef INPUT_H
#define INPUT_H

#include "elem.h"

#include <stdbool.h>
#include <stddef.h>

/* Inputs of more elements repeat the first INPUT_PERIOD. */
#define INPUT_PERIOD ((size_t)1 << 24)

/* Fills values[0 … count-1], count <= INPUT_PERIOD, from srand(seed).
 *
 * int: rand() & 0xFF. With glibc, seed 1 and 2^24 elements the sum is 2139353471, the number that
 * write-up 0 prints. float, double: multiples of one half around zero, so small that every partial
 * sum of up to 2^30 of them is exact in float: any order of summation gives the same bits, and
 * verification is equality. uniform: values in [0, 1), where every addition rounds. */
void input_fill(elem_t *values, size_t count, unsigned seed, bool uniform);

/* Elements of the period that an input of n elements uses. */
size_t input_period(size_t n);

#endif
