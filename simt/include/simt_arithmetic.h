/* The rarer of CUDA's functions for integers and floating point, for cuda_runtime.h: what C has
 * not, or has by another name. What a GPU approximates is exact here. Source: CUDA Math API
 * reference. */
#ifndef SIMT_ARITHMETIC_H
#define SIMT_ARITHMETIC_H

#include "simt_device.h"

#include <math.h>
#include <stdint.h>

/* ---- integers ---- */
SIMT_VALUE(unsigned long long, __brevll, (unsigned long long v),
           (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32)))
/* Four bytes of the eight of y and x, x the lower ones: which, say the lowest 3 bits of each of s's
 * four lowest hexadecimal digits; the digit's highest bit asks for copies of that byte's sign. */
SIMT_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned digit = s >> 4 * i & 15, byte = (unsigned)(bytes >> 8 * (digit & 7)) & 255;
        result |= (digit & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    return result;
}
SIMT_VALUE(unsigned, __funnelshift_l, (unsigned low, unsigned high, unsigned shift),
           (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32))
SIMT_VALUE(unsigned, __funnelshift_r, (unsigned low, unsigned high, unsigned shift),
           (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31)))
SIMT_VALUE(unsigned, __funnelshift_lc, (unsigned low, unsigned high, unsigned shift),
           shift >= 32 ? low : __funnelshift_l(low, high, shift))
SIMT_VALUE(unsigned, __funnelshift_rc, (unsigned low, unsigned high, unsigned shift),
           shift >= 32 ? high : __funnelshift_r(low, high, shift))
SIMT_VALUE(long long, __mul64hi, (long long a, long long b), (long long)((__int128)a *b >> 64))
SIMT_VALUE(unsigned long long, __umul64hi, (unsigned long long a, unsigned long long b),
           (unsigned long long)((unsigned __int128)a *b >> 64))
SIMT_VALUE(unsigned, __usad, (unsigned a, unsigned b, unsigned c), (a > b ? a - b : b - a) + c)
SIMT_INLINE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
SIMT_INLINE int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
SIMT_INLINE unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a + b) >> 1); }
SIMT_VALUE(unsigned, __urhadd, (unsigned a, unsigned b), (unsigned)(((uint64_t)a + b + 1) >> 1))
SIMT_INLINE int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 32; i += 8)
        c += (signed char)(a >> i) * (signed char)(b >> i);
    return c;
}
SIMT_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}
#define SIMT_MIN_AND_MAX(prefix, type)                                                             \
    SIMT_C_NAMED type prefix##min(type a, type b) noexcept { return a < b ? a : b; }               \
    SIMT_C_NAMED type prefix##max(type a, type b) noexcept { return a > b ? a : b; }
SIMT_MIN_AND_MAX(u, unsigned)
SIMT_MIN_AND_MAX(ll, long long)
SIMT_MIN_AND_MAX(ull, unsigned long long)

/* ---- conversions: to the nearest, towards zero, down, up ---- */
#define SIMT_TO_INTEGER(name, from, to, suffix)                                                    \
    SIMT_INLINE to __##name##_rn(from v) { return (to)rint##suffix(v); }                           \
    SIMT_INLINE to __##name##_rz(from v) { return (to)v; }                                         \
    SIMT_INLINE to __##name##_rd(from v) { return (to)floor##suffix(v); }                          \
    SIMT_INLINE to __##name##_ru(from v) { return (to)ceil##suffix(v); }
SIMT_TO_INTEGER(float2int, float, int, f)
SIMT_TO_INTEGER(float2uint, float, unsigned, f)
SIMT_TO_INTEGER(float2ll, float, long long, f)
SIMT_TO_INTEGER(float2ull, float, unsigned long long, f)
SIMT_TO_INTEGER(double2int, double, int, )
SIMT_TO_INTEGER(double2uint, double, unsigned, )
SIMT_TO_INTEGER(double2ll, double, long long, )
SIMT_TO_INTEGER(double2ull, double, unsigned long long, )

#define SIMT_TO_NEAREST(name, from, to)                                                            \
    SIMT_INLINE to __##name(from v) { return (to)v; }
SIMT_TO_NEAREST(int2float_rn, int, float)
SIMT_TO_NEAREST(uint2float_rn, unsigned, float)
SIMT_TO_NEAREST(ll2float_rn, long long, float)
SIMT_TO_NEAREST(ull2float_rn, unsigned long long, float)
SIMT_TO_NEAREST(int2double_rn, int, double)
SIMT_TO_NEAREST(uint2double_rn, unsigned, double)
SIMT_TO_NEAREST(ll2double_rn, long long, double)
SIMT_TO_NEAREST(ull2double_rn, unsigned long long, double)
SIMT_TO_NEAREST(double2float_rn, double, float)

SIMT_INLINE int __double2hiint(double v) { return (int)(simt::to_bits(v) >> 32); }
SIMT_INLINE int __double2loint(double v) { return (int)simt::to_bits(v); }
SIMT_VALUE(double, __hiloint2double, (int high, int low),
           simt::from_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low))

/* ---- floating point: of each function the one for double, and that for float by its name ---- */
SIMT_INLINE double __dsub_rn(double a, double b) { return a - b; }
SIMT_INLINE double __drcp_rn(double v) { return 1 / v; }

#define SIMT_MATH(name, parameters, arguments, value)                                              \
    SIMT_C_NAMED double name parameters(double) noexcept { return value; }                         \
    SIMT_C_NAMED float name##f parameters(float) noexcept { return (float)name arguments; }
#define SIMT_ONE(type)   (type a)
#define SIMT_TWO(type)   (type a, type b)
#define SIMT_THREE(type) (type a, type b, type c)
#define SIMT_FOUR(type)  (type a, type b, type c, type d)

SIMT_MATH(rcbrt, SIMT_ONE, (a), 1 / cbrt(a))
SIMT_MATH(rhypot, SIMT_TWO, (a, b), 1 / hypot(a, b))
SIMT_MATH(norm3d, SIMT_THREE, (a, b, c), hypot(hypot(a, b), c))
SIMT_MATH(norm4d, SIMT_FOUR, (a, b, c, d), hypot(hypot(a, b), hypot(c, d)))
SIMT_MATH(rnorm3d, SIMT_THREE, (a, b, c), 1 / norm3d(a, b, c))
SIMT_MATH(rnorm4d, SIMT_FOUR, (a, b, c, d), 1 / norm4d(a, b, c, d))
SIMT_MATH(sinpi, SIMT_ONE, (a), sin(remainder(a, 2) * M_PI))
SIMT_MATH(cospi, SIMT_ONE, (a), cos(remainder(a, 2) * M_PI))
#define SIMT_SINCOSPI(name, type)                                                                  \
    SIMT_C_NAMED void name(type v, type *s, type *c) noexcept                                      \
    {                                                                                              \
        *s = (type)sinpi(v), *c = (type)cospi(v);                                                  \
    }
SIMT_SINCOSPI(sincospi, double)
SIMT_SINCOSPI(sincospif, float)

/* ---- loads and stores that name a cache: there is none ---- */
template <class T> SIMT_INLINE T __ldlu(const T *p) { return *p; }
template <class T> SIMT_INLINE T __ldcv(const T *p) { return *p; }
template <class T> SIMT_INLINE void __stwb(T *p, T v) { *p = v; }
template <class T> SIMT_INLINE void __stcg(T *p, T v) { *p = v; }
template <class T> SIMT_INLINE void __stcs(T *p, T v) { *p = v; }
template <class T> SIMT_INLINE void __stwt(T *p, T v) { *p = v; }

#endif
