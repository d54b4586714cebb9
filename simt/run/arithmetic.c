/* Arithmetic that a GPU has and C leaves open or lacks. These are functions of the library, so that
 * nothing in them is fused with what stands around a call. */
#include "run/block.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* ---- fmin and fmax, instead of the C library's: 0 is larger than -0 ---- */

#define MIN_AND_MAX(type, suffix)                                                                  \
    type fmin##suffix(type a, type b)                                                              \
    {                                                                                              \
        return isnan(a) || (a == b && signbit(b)) ? b : b < a ? b : a;                             \
    }                                                                                              \
    type fmax##suffix(type a, type b)                                                              \
    {                                                                                              \
        return isnan(a) || (a == b && signbit(a)) ? b : b > a ? b : a;                             \
    }
MIN_AND_MAX(float, f)
MIN_AND_MAX(double, )

/* ---- numbers to integers: a number that does not fit becomes the nearest one that does ---- */

/* Source: PTX, cvt: NaN becomes 0 where neither type has 64 bits, else the highest bit alone. */
long long simt_to_signed(double v, unsigned bits, bool wide)
{
    double end = ldexp(1, (int)bits - 1); /* the smallest positive number that does not fit */
    long long most = (long long)((1ull << (bits - 1)) - 1), least = -most - 1;

    if (isnan(v))
        return wide ? least : 0;
    return v >= end ? most : v < -end ? least : (long long)v;
}

unsigned long long simt_to_unsigned(double v, unsigned bits, bool wide)
{
    unsigned long long most = ~0ull >> (64 - bits);

    if (isnan(v))
        return wide ? 1ull << (bits - 1) : 0;
    return v <= 0 ? 0 : v >= ldexp(1, (int)bits) ? most : (unsigned long long)v;
}

/* Instead of the C library's, which leave the result open for what does not fit */
#define TO_LONG(name, type, rounding)                                                              \
    long l##name(type v)                                                                           \
    {                                                                                              \
        return simt_to_signed(rounding(v), 64, true);                                              \
    }                                                                                              \
    long long ll##name(type v)                                                                     \
    {                                                                                              \
        return simt_to_signed(rounding(v), 64, true);                                              \
    }
TO_LONG(rint, double, rint)
TO_LONG(rintf, float, rintf)
TO_LONG(round, double, round)
TO_LONG(roundf, float, roundf)

/* ---- shifts by the width or more: all bits are shifted out ---- */

void simt_wide_shift(long long count, unsigned width)
{
    const void *pc = __builtin_return_address(0);

    if (simt_current_lane && !stray_is_shadow())
        observer_complain(COMPLAINT(SHIFT, simt_current_lane, pc),
                          "A number of %u bits is shifted by %lld.", width, count);
}

uint64_t simt_shift_left(uint64_t v, unsigned count, bool is_signed)
{
    (void)is_signed;
    return count < 64 ? v << count : 0;
}

uint64_t simt_shift_right(uint64_t v, unsigned count, bool is_signed)
{
    if (is_signed)
        return (uint64_t)((int64_t)v >> (count < 64 ? count : 63));
    return count < 64 ? v >> count : 0;
}

/* ---- arithmetic and conversions with a rounding of their own (__fadd_rz, __ll2float_ru) ---- */

/* Changes this OS thread's rounding mode, and returns the mode before. */
static int change(int mode)
{
    int before = fegetround();

    fesetround(mode);
    return before;
}

static const int modes[] = {[SIMT_NEAREST] = FE_TONEAREST,
                            [SIMT_TO_ZERO] = FE_TOWARDZERO,
                            [SIMT_DOWN] = FE_DOWNWARD,
                            [SIMT_UP] = FE_UPWARD};

/* volatile: the compiler must not move the arithmetic over the calls that change the mode. */
#define ARITHMETIC(name, type, suffix)                                                             \
    type name(enum simt_arithmetic op, enum simt_rounding rounding, type a, type b, type c)        \
    {                                                                                              \
        volatile type x = a, y = b, z = c, result;                                                 \
        int before = change(modes[rounding]);                                                      \
        switch (op) {                                                                              \
        case SIMT_PLUS: result = x + y; break;                                                     \
        case SIMT_MINUS: result = x - y; break;                                                    \
        case SIMT_TIMES: result = x * y; break;                                                    \
        case SIMT_OVER: result = x / y; break;                                                     \
        case SIMT_ROOT: result = sqrt##suffix(x); break;                                           \
        default: result = fma##suffix(x, y, z);                                                    \
        }                                                                                          \
        change(before);                                                                            \
        return result;                                                                             \
    }
ARITHMETIC(simt_float, float, f)
ARITHMETIC(simt_double, double, )

#define CONVERSION(type)                                                                           \
    type simt_to_##type(enum simt_rounding rounding, long double v)                                \
    {                                                                                              \
        volatile long double x = v;                                                                \
        int before = change(modes[rounding]);                                                      \
        volatile type result = (type)x;                                                            \
        change(before);                                                                            \
        return result;                                                                             \
    }
CONVERSION(float)
CONVERSION(double)

/* ---- integers packed into 32 bits: four of 8 bits or two of 16 (__vadd4, __vmaxs2) ---- */

static long long clamp(long long v, long long least, long long most)
{
    return v < least ? least : v > most ? most : v;
}

/* The result for one pair. Source: PTX ISA, vadd2 and the like. */
static long long of_lane(enum simt_packed op, long long a, long long b, long long least,
                         long long most)
{
    switch (op) {
#define RESULT(name, result)                                                                       \
    case SIMT_PACKED_##name: return result;
        SIMT_PACKED_OPERATIONS(RESULT)
    }
    return 0;
}

unsigned simt_packed(enum simt_packed op, unsigned bits, bool is_signed, unsigned a, unsigned b)
{
    unsigned long long ones = (1ull << bits) - 1, result = 0;
    long long half = is_signed ? 1ll << (bits - 1) : 0, most = (long long)ones - half;

    for (unsigned at = 0; at < 32; at += bits) {
        /* extends the sign: flips the highest bit and subtracts its weight */
        long long x = (long long)((a >> at & ones) ^ (unsigned long long)half) - half;
        long long y = (long long)((b >> at & ones) ^ (unsigned long long)half) - half;
        result |= ((unsigned long long)of_lane(op, x, y, -half, most) & ones) << at;
    }
    return (unsigned)result;
}

/* ---- two-byte floats, half (float16) and bfloat16, from and to doubles, which can represent all
 * of them. A sum, difference, product or quotient is rounded to a double, and then to two bytes.
 * That equals rounding once, since a double's 53 bits are at least twice as many, and two more
 * (Figueroa, 1995). ---- */

/* A bfloat16 is the upper half of a float. A half's exponent lies elsewhere, and is 112 smaller. */
float simt_narrow_to_float(unsigned short bits, bool half)
{
    uint32_t magnitude = bits & 0x7fff, word = (uint32_t)bits << 16;
    float value;

    if (half && magnitude > 0x7c00)
        word = 0x7fffffff; /* NaN */
    else if (half)
        word = (word & 0x80000000) | magnitude << 13;
    memcpy(&value, &word, sizeof value);
    if (half && magnitude <= 0x7c00)
        value *= magnitude == 0x7c00 ? INFINITY : 0x1p112f;
    return value;
}

unsigned short simt_to_narrow(double value, bool half, enum simt_rounding rounding)
{
    int mantissa = half ? 10 : 7, least = half ? -14 : -126, exponent; /* of the smallest normal */
    unsigned infinite = 0x7fffu >> mantissa << mantissa, sign = signbit(value) ? 0x8000 : 0;
    bool to_nearest = rounding == SIMT_NEAREST;

    if (isnan(value))
        return 0x7fff;
    if (isinf(value))
        return (unsigned short)(sign | infinite);
    frexp(value, &exponent);
    exponent = value != 0 && exponent - 1 > least ? exponent - 1 : least;
    int before = to_nearest ? 0 : change(modes[rounding]);
    volatile double digits = nearbyint(ldexp(value, mantissa - exponent));
    if (!to_nearest)
        change(before);
    /* the 1 in front of the point is a part of the digits, and adds 1 to the exponent */
    unsigned kept = (unsigned)fabs(digits) + ((unsigned)(exponent - least) << mantissa);
    if (kept >= infinite)
        kept = to_nearest || rounding == (sign ? SIMT_DOWN : SIMT_UP) ? infinite : infinite - 1;
    return (unsigned short)(sign | kept);
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

/* ---- CUDA's functions that C libraries lack, or lacked until C23. Computed in long double, so
 * that rounding errors do not reach the result. The largest errors are those that the CUDA
 * Programming Guide states for each, or smaller. ---- */

#define PI     3.14159265358979323846264338327950288L
#define SQRT_2 1.41421356237309504880168872420969808L

/* sin(pi v), or a quarter of a turn further. All but the last two steps are exact. */
static long double sine_of_half_turns(double v, int quarters)
{
    double part = fmod(v, 2), near = nearbyint(2 * part);
    long double rest = PI * ((long double)part - near / 2);
    long double zero = quarters ? 0 : copysignl(0, v);

    if (!isfinite(v))
        return NAN;
    switch (((int)near + quarters) & 3) {
    case 0: return rest == 0 ? zero : sinl(rest);
    case 1: return cosl(rest);
    case 2: return rest == 0 ? zero : -sinl(rest);
    default: return -cosl(rest);
    }
}

/* The x with erf(x) = p and erfc(x) = q, computed from the smaller one; both are from 0 to 1. */
static long double error_inverse(long double p, long double q)
{
    long double x = p < q ? p * sqrtl(PI) / 2 : sqrtl(-logl(q));

    if (p == 0 || q == 0)
        return q == 0 ? INFINITY : p;
    for (int i = 0; i < 12; i++) { /* Newton's method for erf(x) = p, or for log erfc(x) = log q */
        long double slope = 2 / sqrtl(PI) * expl(-x * x);
        x -= p < q ? (erfl(x) - p) / slope : -logl(erfcl(x) / q) * erfcl(x) / slope;
    }
    return x;
}

static long double erf_inverse(double v)
{
    long double x = fabsl(v);

    return x <= 1 ? copysignl(error_inverse(x, 1 - x), v) : NAN;
}

static long double erfc_inverse(double v)
{
    long double x = v;

    return v < 0 || v > 2 || isnan(v) ? NAN
           : v <= 1                   ? error_inverse(1 - x, x)
                                      : -error_inverse(x - 1, 2 - x);
}

/* exp(v * v) * erfc(v). Of a large v erfc(v) is too small for any type: a continued fraction. */
static long double erfc_scaled(double v)
{
    long double x = v, fraction = x;

    if (v < 10 || isnan(v))
        return expl(x * x) * erfcl(x);
    for (int k = 60; k > 0 && isfinite(v); k--)
        fraction = x + k / (2 * fraction);
    return 1 / (sqrtl(PI) * fraction);
}

#define FUNCTION(name, value, ...)                                                                 \
    long double simt_##name(__VA_ARGS__)                                                           \
    {                                                                                              \
        return value;                                                                              \
    }
FUNCTION(sinpi, sine_of_half_turns(v, 0), double v)
FUNCTION(cospi, sine_of_half_turns(v, 1), double v)
FUNCTION(rsqrt, 1 / sqrtl(v), double v)
FUNCTION(rcbrt, 1 / cbrtl(v), double v)
FUNCTION(erfinv, erf_inverse(v), double v)
FUNCTION(erfcinv, erfc_inverse(v), double v)
FUNCTION(erfcx, erfc_scaled(v), double v)
FUNCTION(normcdf, erfcl(-(long double)v / SQRT_2) / 2, double v)
FUNCTION(normcdfinv, 0 - SQRT_2 * erfc_inverse(2 * v), double v)
FUNCTION(rhypot, 1 / hypotl(a, b), double a, double b)
FUNCTION(norm3d, hypotl(a, hypotl(b, c)), double a, double b, double c)
FUNCTION(rnorm3d, 1 / simt_norm3d(a, b, c), double a, double b, double c)
FUNCTION(norm4d, hypotl(hypotl(a, b), hypotl(c, d)), double a, double b, double c, double d)
FUNCTION(rnorm4d, 1 / simt_norm4d(a, b, c, d), double a, double b, double c, double d)
