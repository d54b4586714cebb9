/* Two-byte floats, half (float16) and bfloat16, from and to doubles, which can represent all of
 * them.
 *
 * A sum, difference, product or quotient is rounded to a double, and then to two bytes. That equals
 * rounding once, since a double's 53 bits are at least twice as many, and two more (Figueroa,
 * 1995). */
#include "include/simt_device.h"

#include <math.h>
#include <string.h>

/* The number of bits behind the point of a significand; the bias of the exponent. */
static int mantissa_of(bool half)
{
    return half ? 10 : 7;
}

static int bias_of(bool half)
{
    return half ? 15 : 127;
}

double simt_from_narrow(unsigned short bits, bool half)
{
    int mantissa = mantissa_of(half), all_ones = 0x7fff >> mantissa;
    int exponent = (bits & 0x7fff) >> mantissa, digits = bits & ((1 << mantissa) - 1);
    double value;

    if (exponent == all_ones)
        value = digits ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(digits, 1 - bias_of(half) - mantissa);
    else
        value = ldexp(digits | 1 << mantissa, exponent - bias_of(half) - mantissa);
    return bits & 0x8000 ? -value : value;
}

float simt_narrow_to_float(unsigned short bits, bool half)
{
    uint32_t word = (uint32_t)bits << 16; /* a bfloat16 is the upper half of a float */
    float value;

    if (half && (bits & 0x7fff) <= 0x7c00)
        return (float)simt_from_narrow(bits, half);
    if (half)
        word = 0x7fffffff;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* `rest` of `unit` is cut off. Does it round the last digit up? */
static bool rounds_up(uint64_t rest, uint64_t unit, bool odd, bool negative,
                      enum simt_rounding rounding)
{
    switch (rounding) {
    case SIMT_NEAREST: return 2 * rest > unit || (2 * rest == unit && odd);
    case SIMT_DOWN: return rest && negative;
    case SIMT_UP: return rest && !negative;
    default: return false;
    }
}

unsigned short simt_to_narrow(double value, bool half, enum simt_rounding rounding)
{
    enum { DIGITS = 52 };
    int mantissa = mantissa_of(half), least = 1 - bias_of(half), exponent;
    unsigned infinite = 0x7fffu >> mantissa << mantissa;
    uint64_t bits, digits, unit;

    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 63;
    if (isnan(value))
        return 0x7fff;
    if (isinf(value))
        return (unsigned short)(negative << 15 | infinite);
    exponent = (int)(bits >> DIGITS & 0x7ff) - 1023;
    digits = (bits & ((1ull << DIGITS) - 1)) | (uint64_t)(exponent > -1023) << DIGITS;
    int cut = DIGITS - mantissa + (exponent < least ? least - exponent : 0);
    if (cut > 60) /* far below the smallest number: it only counts that it is not 0 */
        cut = 60, digits = digits != 0;
    unit = 1ull << cut;
    uint64_t kept = digits >> cut, rest = digits & (unit - 1);
    kept += rounds_up(rest, unit, kept & 1, negative, rounding);
    /* the 1 in front of the point is a part of `kept`, and adds 1 to the exponent */
    kept += (uint64_t)(exponent < least ? 0 : exponent - least) << mantissa;
    if (kept >= infinite)
        kept = rounding == SIMT_NEAREST || rounding == (negative ? SIMT_DOWN : SIMT_UP)
                   ? infinite
                   : infinite - 1;
    return (unsigned short)(negative << 15 | kept);
}

double simt_narrow_fma(double a, double b, double c)
{
    double product = a * b, sum = product + c, part = sum - product;
    double lost = (product - (sum - part)) + (c - part); /* the product is exact */
    uint64_t bits;

    if (!(lost != 0) || !isfinite(sum))
        return sum;
    /* Rounds to an odd last digit, so that the lost part still decides the later rounding. */
    memcpy(&bits, &sum, sizeof bits);
    if (bits % 2 == 0)
        bits += (lost > 0) == (sum > 0) ? 1 : -1ull;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}
