/* Two-byte floats, from bit to number and back: a sign, an exponent, and MANTISSA bits behind the
 * point, in front of which is a 1 that is not stored. Those with exponent 0 have a 0 there. */
#include "value.h"

#if ELEM_TWO_BYTES

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    MANTISSA = ELEM_IS_HALF ? 10 : 7,
    BIAS = ELEM_IS_HALF ? 15 : 127, /* is added to the exponent */
    INFINITE = 0x7fff >> MANTISSA << MANTISSA
};

/* The bits at their place in a float, whose bias is larger: multiplied away. */
sum_t value_of(elem_t elem)
{
    uint32_t bits = (uint32_t)(elem.bits & 0x7fff) << (23 - MANTISSA);
    float value;

    memcpy(&value, &bits, sizeof value);
    value *= ELEM_IS_HALF ? 0x1p112f : 1;
    if ((elem.bits & INFINITE) == INFINITE)
        value = elem.bits & ~INFINITE & 0x7fff ? NAN : INFINITY;
    return elem.bits & 0x8000 ? -value : value;
}

elem_t elem_of(double value)
{
    unsigned sign = signbit(value) ? 0x8000 : 0, bits = INFINITE | 1 << (MANTISSA - 1);
    int exponent;

    if (isnan(value))
        return (elem_t){(unsigned short)(sign | bits)};
    frexp(value, &exponent); /* |value| < 2^exponent; but of 0 it is 0 */
    if (exponent < 2 - BIAS || value == 0)
        exponent = 2 - BIAS;
    /* in units of its last place, the 1 in front of the point included: that is one exponent more
     */
    double units = isinf(value) ? HUGE_VAL : nearbyint(ldexp(fabs(value), MANTISSA + 1 - exponent));
    units += (double)(exponent - 2 + BIAS) * (1 << MANTISSA);
    bits = units < INFINITE ? (unsigned)units : INFINITE;
    return (elem_t){(unsigned short)(sign | bits)};
}

#else

typedef int no_empty_file;

#endif
