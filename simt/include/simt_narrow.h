/* The two-byte floats of cuda_fp16.h and cuda_bf16.h: one set of names for both types. They are
 * computed as a GPU computes them. Functions that a reduction does not need are missing, and
 * refused (compile/refused.c). Source: CUDA Math API reference; tests/data/h200/narrow.csv has an
 * H200's results. */
#ifndef SIMT_NARROW_H
#define SIMT_NARROW_H

#include "cuda_runtime.h"

#define SIMT_NARROW_OPERATOR(T, op, function)                                                      \
    SIMT_INLINE T operator op(const T &a, const T &b) { return function(a, b); }                   \
    SIMT_INLINE T &operator op##=(T &a, const T &b) { return a = function(a, b); }
#define SIMT_NARROW_COMPARISON(T, name, op)                                                        \
    SIMT_INLINE bool operator op(const T &a, const T &b) { return name(a, b); }
#define SIMT_NARROW_COMPARE(T, name, op, value)                                                    \
    SIMT_VALUE(bool, name, (T a, T b), (double)a op(double) b)                                     \
    SIMT_VALUE(bool, name##u, (T a, T b), (double)a op(double) b || __hisnan(a) || __hisnan(b))    \
    SIMT_NARROW_COMPARISON(T, value, op)
#define SIMT_NARROW_ROUND(T, HALF, suffix, rounding)                                               \
    SIMT_VALUE(T, __float2##HALF##suffix, (float v), T::of(v, rounding))
#define SIMT_NARROW_INTEGER(T, HALF, name, type)                                                   \
    SIMT_VALUE(T, __##name##2##HALF##_rn, (type v), T::of((double)v))                              \
    SIMT_VALUE(type, __##HALF##2##name##_rn, (T v), simt::clamped<type>(rint((double)v)))          \
    SIMT_VALUE(type, __##HALF##2##name##_rz, (T v), simt::clamped<type>(trunc((double)v)))         \
    SIMT_VALUE(type, __##HALF##2##name##_rd, (T v), simt::clamped<type>(floor((double)v)))         \
    SIMT_VALUE(type, __##HALF##2##name##_ru, (T v), simt::clamped<type>(ceil((double)v)))
/* A number wins over a NaN. Of 0 and -0 the result is a if is_mine. */
#define SIMT_NARROW_CHOICE(T, name, op, is_mine)                                                   \
    SIMT_VALUE(T, name, (T a, T b),                                                                \
               __hisnan(a) || __hisnan(b)                                                          \
                   ? (__hisnan(a) ? (__hisnan(b) ? T::bits(0x7fff) : b) : a)                       \
               : (double)a op(double) b || ((double)a == (double)b && (is_mine)) ? a               \
                                                                                 : b)
/* A function of two or of three numbers, for each of a pair. */
#define SIMT_NARROW_PAIRS(T2, name)                                                                \
    SIMT_VALUE(T2, name##2, (T2 a, T2 b), T2(name(a.x, b.x), name(a.y, b.y)))

namespace simt {
/* Converts as a GPU does: to the nearest integer that fits; a NaN becomes 0. */
template <class T> SIMT_INLINE T clamped(double v)
{
    return v != v                                       ? 0
           : v <= (double)std::numeric_limits<T>::min() ? std::numeric_limits<T>::min()
           : v >= (double)std::numeric_limits<T>::max() ? std::numeric_limits<T>::max()
                                                        : (T)v;
}
} // namespace simt

/* T, T2: the types, such as __half and __half2. HALF, HALF2: the names in functions, half and half2
 * or bfloat16 and bfloat162. is_half: 1 for half, 0 for bfloat16. */
#define SIMT_NARROW(T, T2, HALF, HALF2, is_half)                                                   \
    struct __attribute__((aligned(2))) T {                                                         \
        unsigned short __x;                                                                        \
        T() = default;                                                                             \
        template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>                      \
        SIMT_INLINE_MEMBER T(N v) : __x(simt_to_narrow((double)v, is_half, SIMT_NEAREST))          \
        {                                                                                          \
        }                                                                                          \
        SIMT_INLINE_MEMBER operator float() const { return simt_narrow_to_float(__x, is_half); }   \
        static SIMT_INLINE_MEMBER T of(double v, simt_rounding rounding = SIMT_NEAREST)            \
        {                                                                                          \
            return bits(simt_to_narrow(v, is_half, rounding));                                     \
        }                                                                                          \
        static SIMT_INLINE_MEMBER T bits(unsigned bits)                                            \
        {                                                                                          \
            return simt::from_bits<T>((unsigned short)bits);                                       \
        }                                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(4))) T2 {                                                        \
        T x, y;                                                                                    \
        T2() = default;                                                                            \
        SIMT_INLINE_MEMBER T2(T x, T y) : x(x), y(y) {}                                            \
    };                                                                                             \
    SIMT_VALUE(unsigned short, __##HALF##_as_ushort, (T v), v.__x)                                 \
    SIMT_VALUE(short, __##HALF##_as_short, (T v), (short)v.__x)                                    \
    SIMT_VALUE(T, __ushort_as_##HALF, (unsigned short v), T::bits(v))                              \
    SIMT_VALUE(T, __short_as_##HALF, (short v), T::bits((unsigned short)v))                        \
    /* conversions */                                                                              \
    SIMT_VALUE(float, __##HALF##2float, (T v), (float)v)                                           \
    SIMT_NARROW_ROUND(T, HALF, , SIMT_NEAREST)                                                     \
    SIMT_NARROW_ROUND(T, HALF, _rn, SIMT_NEAREST)                                                  \
    SIMT_NARROW_ROUND(T, HALF, _rz, SIMT_TO_ZERO)                                                  \
    SIMT_NARROW_ROUND(T, HALF, _rd, SIMT_DOWN)                                                     \
    SIMT_NARROW_ROUND(T, HALF, _ru, SIMT_UP)                                                       \
    SIMT_VALUE(T, __double2##HALF, (double v),                                                     \
               v == v || is_half ? T::of(v) : T::bits(simt::to_bits((float)v) >> 16))              \
    SIMT_NARROW_INTEGER(T, HALF, short, short)                                                     \
    SIMT_NARROW_INTEGER(T, HALF, ushort, unsigned short)                                           \
    SIMT_NARROW_INTEGER(T, HALF, int, int)                                                         \
    SIMT_NARROW_INTEGER(T, HALF, uint, unsigned)                                                   \
    /* pairs */                                                                                    \
    SIMT_VALUE(T2, make_##HALF2, (T x, T y), T2(x, y))                                             \
    SIMT_VALUE(T2, __halves2##HALF2, (T x, T y), T2(x, y))                                         \
    SIMT_VALUE(T2, __##HALF##2##HALF2, (T v), T2(v, v))                                            \
    SIMT_VALUE(T, __low2##HALF, (T2 v), v.x)                                                       \
    SIMT_VALUE(T, __high2##HALF, (T2 v), v.y)                                                      \
    SIMT_VALUE(float, __low2float, (T2 v), (float)v.x)                                             \
    SIMT_VALUE(float, __high2float, (T2 v), (float)v.y)                                            \
    SIMT_VALUE(T2, __low2##HALF2, (T2 v), T2(v.x, v.x))                                            \
    SIMT_VALUE(T2, __high2##HALF2, (T2 v), T2(v.y, v.y))                                           \
    SIMT_VALUE(T2, __lowhigh2highlow, (T2 v), T2(v.y, v.x))                                        \
    SIMT_VALUE(T2, __lows2##HALF2, (T2 a, T2 b), T2(a.x, b.x))                                     \
    SIMT_VALUE(T2, __highs2##HALF2, (T2 a, T2 b), T2(a.y, b.y))                                    \
    SIMT_VALUE(float2, __##HALF2##2float2, (T2 v), float2{(float)v.x, (float)v.y})                 \
    SIMT_VALUE(T2, __floats2##HALF2##_rn, (float x, float y), T2(T::of(x), T::of(y)))              \
    SIMT_VALUE(T2, __float22##HALF2##_rn, (float2 v), T2(T::of(v.x), T::of(v.y)))                  \
    SIMT_VALUE(T2, __float2##HALF2##_rn, (float v), T2(T::of(v), T::of(v)))                        \
    /* arithmetic; only __hfma fuses */                                                            \
    SIMT_VALUE(T, __hadd, (T a, T b), T::of((double)a + (double)b))                                \
    SIMT_VALUE(T, __hsub, (T a, T b), T::of((double)a - (double)b))                                \
    SIMT_VALUE(T, __hmul, (T a, T b), T::of((double)a *(double)b))                                 \
    SIMT_VALUE(T, __hdiv, (T a, T b), T::of((double)a / (double)b))                                \
    SIMT_VALUE(T, __hadd_rn, (T a, T b), __hadd(a, b))                                             \
    SIMT_VALUE(T, __hsub_rn, (T a, T b), __hsub(a, b))                                             \
    SIMT_VALUE(T, __hmul_rn, (T a, T b), __hmul(a, b))                                             \
    SIMT_VALUE(T, __hfma, (T a, T b, T c), T::of(simt_narrow_fma(a, b, c)))                        \
    SIMT_VALUE(bool, __hisnan, (T v),                                                              \
               (v.__x & 0x7fff) > simt_to_narrow(INFINITY, is_half, SIMT_UP))                      \
    SIMT_VALUE(int, __hisinf, (T v), isinf((double)v) ? (v.__x & 0x8000 ? -1 : 1) : 0)             \
    SIMT_VALUE(T, __hneg, (T v), T::bits(__hisnan(v) ? 0x7fff : v.__x ^ 0x8000))                   \
    SIMT_VALUE(T, __habs, (T v), T::bits(__hisnan(v) ? 0x7fff : v.__x & 0x7fff))                   \
    SIMT_NARROW_CHOICE(T, __hmax, >, !(a.__x & 0x8000))                                            \
    SIMT_NARROW_CHOICE(T, __hmin, <, a.__x & 0x8000)                                               \
    SIMT_NARROW_PAIRS(T2, __hadd)                                                                  \
    SIMT_NARROW_PAIRS(T2, __hsub)                                                                  \
    SIMT_NARROW_PAIRS(T2, __hmul)                                                                  \
    SIMT_NARROW_PAIRS(T2, __hmax)                                                                  \
    SIMT_NARROW_PAIRS(T2, __hmin)                                                                  \
    SIMT_VALUE(T2, __h2div, (T2 a, T2 b), T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)))                  \
    SIMT_VALUE(T2, __hneg2, (T2 v), T2(__hneg(v.x), __hneg(v.y)))                                  \
    SIMT_VALUE(T2, __habs2, (T2 v), T2(__habs(v.x), __habs(v.y)))                                  \
    SIMT_VALUE(T2, __hfma2, (T2 a, T2 b, T2 c), T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)))  \
    SIMT_NARROW_COMPARE(T, __heq, ==, __heq)                                                       \
    SIMT_VALUE(bool, __hne, (T a, T b), (double)a != (double)b && !__hisnan(a) && !__hisnan(b))    \
    SIMT_VALUE(bool, __hneu, (T a, T b), (double)a != (double)b)                                   \
    SIMT_NARROW_COMPARISON(T, __hneu, !=)                                                          \
    SIMT_NARROW_COMPARE(T, __hlt, <, __hlt)                                                        \
    SIMT_NARROW_COMPARE(T, __hle, <=, __hle)                                                       \
    SIMT_NARROW_COMPARE(T, __hgt, >, __hgt)                                                        \
    SIMT_NARROW_COMPARE(T, __hge, >=, __hge)                                                       \
    SIMT_NARROW_OPERATOR(T, +, __hadd)                                                             \
    SIMT_NARROW_OPERATOR(T, -, __hsub)                                                             \
    SIMT_NARROW_OPERATOR(T, *, __hmul)                                                             \
    SIMT_NARROW_OPERATOR(T, /, __hdiv)                                                             \
    SIMT_NARROW_OPERATOR(T2, +, __hadd2)                                                           \
    SIMT_NARROW_OPERATOR(T2, -, __hsub2)                                                           \
    SIMT_NARROW_OPERATOR(T2, *, __hmul2)                                                           \
    SIMT_NARROW_OPERATOR(T2, /, __h2div)                                                           \
    SIMT_INLINE T operator-(const T &v) { return __hneg(v); }                                      \
    SIMT_INLINE T operator+(const T &v) { return v; }                                              \
    SIMT_INLINE T2 operator-(const T2 &v) { return __hneg2(v); }                                   \
    SIMT_INLINE T &operator++(T &v) { return v = __hadd(v, T::of(1)); }                            \
    SIMT_INLINE T &operator--(T &v) { return v = __hsub(v, T::of(1)); }                            \
    SIMT_SCOPES(                                                                                   \
        T, atomicAdd, (T * p, T v), (p, v),                                                        \
        simt::from_bits<T>(simt_atomic(is_half ? SIMT_ATOMIC_ADD_HALF : SIMT_ATOMIC_ADD_BFLOAT16,  \
                                       p, sizeof *p, 0, simt::to_bits(v), false)))                 \
    SIMT_SCOPES(                                                                                   \
        T2, atomicAdd, (T2 * p, T2 v), (p, v),                                                     \
        simt::from_bits<T2>(simt_atomic(is_half ? SIMT_ATOMIC_ADD_HALF : SIMT_ATOMIC_ADD_BFLOAT16, \
                                        p, sizeof *p, 0, simt::to_bits(v), false)))

#endif
