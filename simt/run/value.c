/* What a GPU's instructions make of numbers where C leaves it open. */
#include "run/block.h"
#include "run/observer.h"
#include "run/stray.h"

#include <math.h>

/* ---- the smaller and the larger of two, instead of the C library's: 0 is larger than -0 ---- */

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

/* ---- numbers to integers: what does not fit becomes the nearest that does ---- */

/* Source: PTX, cvt: NaN becomes 0 where neither type has 64 bits, else the integer's highest bit.
 */
static unsigned long long of_nan(unsigned bits, bool wide)
{
    return wide ? 1ull << (bits - 1) : 0;
}

long long simt_to_signed(double v, unsigned bits, bool wide)
{
    double end = ldexp(1, (int)bits - 1); /* the first that does not fit */
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

/* ---- shifts: what is shifted by more than the width is gone ---- */

void simt_wide_shift(long long count, unsigned width)
{
    struct complaint complaint = {
        .kind = FINDING_SHIFT, .lane = simt_current_lane, .pc = __builtin_return_address(0)};

    if (simt_current_lane && !stray_is_shadow())
        observer_complain(complaint, "A number of %u bits is shifted by %lld.", width, count);
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
