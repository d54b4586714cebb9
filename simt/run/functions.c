/* CUDA's functions that C libraries lack, or lacked until C23. Computed in long double, so that
 * rounding errors do not reach the result. The largest errors are those that the CUDA Programming
 * Guide states for each, or smaller. */
#include "simt_device.h"

#include <math.h>

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

static long double norm_of(double a, double b, double c, double d)
{
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return INFINITY;
    return sqrtl((long double)a * a + (long double)b * b + (long double)c * c + (long double)d * d);
}

#define FUNCTION(name, parameters, f_parameters, value)                                            \
    double simt_##name parameters                                                                  \
    {                                                                                              \
        return (double)(value);                                                                    \
    }                                                                                              \
    float simt_##name##f f_parameters                                                              \
    {                                                                                              \
        return (float)(value);                                                                     \
    }
#define OF_ONE(name, value) FUNCTION(name, (double v), (float v), value)
#define OF_TWO(name, value) FUNCTION(name, (double a, double b), (float a, float b), value)
#define OF_THREE(name, value)                                                                      \
    FUNCTION(name, (double a, double b, double c), (float a, float b, float c), value)
#define OF_FOUR(name, value)                                                                       \
    FUNCTION(name, (double a, double b, double c, double d), (float a, float b, float c, float d), \
             value)
OF_ONE(sinpi, sine_of_half_turns(v, 0))
OF_ONE(cospi, sine_of_half_turns(v, 1))
OF_ONE(rsqrt, 1 / sqrtl(v))
OF_ONE(rcbrt, 1 / cbrtl(v))
OF_ONE(erfinv, erf_inverse(v))
OF_ONE(erfcinv, erfc_inverse(v))
OF_ONE(erfcx, erfc_scaled(v))
OF_ONE(normcdf, erfcl(-(long double)v / SQRT_2) / 2)
OF_ONE(normcdfinv, 0 - SQRT_2 * erfc_inverse(2 * (double)v))
OF_TWO(rhypot, 1 / norm_of(a, b, 0, 0))
OF_THREE(norm3d, norm_of(a, b, c, 0))
OF_THREE(rnorm3d, 1 / norm_of(a, b, c, 0))
OF_FOUR(norm4d, norm_of(a, b, c, d))
OF_FOUR(rnorm4d, 1 / norm_of(a, b, c, d))
