/* Arithmetic and conversions with a rounding of their own (__fadd_rz, __ll2float_ru). Functions of
 * the library, so that nothing is fused with what stands around a call. */
#include "simt_device.h"

#include <fenv.h>
#include <math.h>

/* Changes how this thread rounds; returns how it did. */
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

/* volatile: the compiler may move no access over a call, so the arithmetic between them stays. */
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
