/* Arithmetic that a GPU has and C leaves open or lacks. These are functions of the library, so that
 * nothing in them is fused with what stands around a call. */
#include "run/block.h"
#include "run/observer.h"
#include "run/stray.h"

#include <fenv.h>
#include <math.h>

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

/* Source: PTX, cvt: NaN becomes 0 where neither type has 64 bits, else the integer's highest bit.
 */
static unsigned long long of_nan(unsigned bits, bool wide)
{
    return wide ? 1ull << (bits - 1) : 0;
}

long long simt_to_signed(double v, unsigned bits, bool wide)
{
    double end = ldexp(1, (int)bits - 1); /* the smallest positive number that does not fit */
    long long most = (long long)((1ull << (bits - 1)) - 1);

    if (isnan(v))
        return (long long)of_nan(bits, wide);
    return v >= end ? most : v < -end ? -most - 1 : (long long)v;
}

unsigned long long simt_to_unsigned(double v, unsigned bits, bool wide)
{
    unsigned long long most = ~0ull >> (64 - bits);

    if (isnan(v))
        return of_nan(bits, wide);
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

#define CONVERSION(name, from, to)                                                                 \
    to name(enum simt_rounding rounding, from v)                                                   \
    {                                                                                              \
        volatile from x = v;                                                                       \
        int before = change(modes[rounding]);                                                      \
        volatile to result = (to)x;                                                                \
        change(before);                                                                            \
        return result;                                                                             \
    }
CONVERSION(simt_float_of_double, double, float)
CONVERSION(simt_float_of_signed, long long, float)
CONVERSION(simt_float_of_unsigned, unsigned long long, float)
CONVERSION(simt_double_of_signed, long long, double)
CONVERSION(simt_double_of_unsigned, unsigned long long, double)

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
    case SIMT_PACKED_ADD: return a + b;
    case SIMT_PACKED_SUB: return a - b;
    case SIMT_PACKED_ADD_CLAMPED: return clamp(a + b, least, most);
    case SIMT_PACKED_SUB_CLAMPED: return clamp(a - b, least, most);
    case SIMT_PACKED_AVERAGE: return (a + b + (a + b >= 0)) >> 1;
    case SIMT_PACKED_HALF_SUM: return (a + b) >> 1;
    case SIMT_PACKED_DIFFERENCE: return a > b ? a - b : b - a;
    case SIMT_PACKED_MAX: return a > b ? a : b;
    case SIMT_PACKED_MIN: return a < b ? a : b;
    case SIMT_PACKED_EQ: return -(a == b);
    case SIMT_PACKED_NE: return -(a != b);
    case SIMT_PACKED_GE: return -(a >= b);
    case SIMT_PACKED_GT: return -(a > b);
    case SIMT_PACKED_LE: return -(a <= b);
    default: return -(a < b);
    }
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
