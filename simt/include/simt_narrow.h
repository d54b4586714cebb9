/* The two-byte floats of cuda_fp16.h and cuda_bf16.h: one set of names for both types. They are
 * computed as a GPU computes them. What is missing is refused (compile/refused.c). Source: CUDA
 * Math API reference; tests/data/h200/narrow.csv and halves.csv have an H200's results. */
#pragma once

#include "cuda_runtime.h"

#define SIMT_NARROW_OPERATOR(T, op, function)                                                      \
    SIMT_INLINE T operator op(const T &a, const T &b) { return function(a, b); }                   \
    SIMT_INLINE T &operator op##=(T &a, const T &b) { return a = function(a, b); }
#define SIMT_NARROW_COMPARISON(T, name, op)                                                        \
    SIMT_INLINE bool operator op(const T &a, const T &b) { return name(a, b); }
#define SIMT_NARROW_STEP(T, op, function, one)                                                     \
    SIMT_INLINE T &operator op(T &v) { return v = function(v, one); }                              \
    SIMT_INLINE T operator op(T &v, int)                                                           \
    {                                                                                              \
        T old = v;                                                                                 \
        v = function(v, one);                                                                      \
        return old;                                                                                \
    }
/* __hNAME; of pairs: 1 or 0 for each, a mask, and whether both are so. */
#define SIMT_NARROW_COMPARE(T, T2, name, ...)                                                      \
    SIMT_VALUE(bool, __h##name, (T a, T b), __VA_ARGS__)                                           \
    SIMT_VALUE(T2, __h##name##2, (T2 a, T2 b), T2(__h##name(a.x, b.x), __h##name(a.y, b.y)))       \
    SIMT_VALUE(unsigned, __h##name##2_mask, (T2 a, T2 b),                                          \
               (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0))      \
    SIMT_VALUE(bool, __hb##name##2, (T2 a, T2 b), __h##name(a.x, b.x) && __h##name(a.y, b.y))
/* NAMEu: also where one of the numbers is a NaN */
#define SIMT_NARROW_COMPARISONS(T, T2, op, name, value)                                            \
    SIMT_NARROW_COMPARE(T, T2, name, (double)a op(double) b && !__hisnan(a) && !__hisnan(b))       \
    SIMT_NARROW_COMPARE(T, T2, name##u, (double)a op(double) b || __hisnan(a) || __hisnan(b))      \
    SIMT_NARROW_COMPARISON(T, __h##value, op)                                                      \
    SIMT_NARROW_COMPARISON(T2, __hb##value##2, op)
#define SIMT_NARROW_ROUND(T, HALF, suffix, rounding, function)                                     \
    SIMT_VALUE(T, __float2##HALF##suffix, (float v), T::of(v, rounding))                           \
    SIMT_NARROW_EACH_INTEGER(SIMT_NARROW_INTEGER, T, HALF, suffix, rounding, function)
#define SIMT_NARROW_EACH_INTEGER(macro, ...)                                                       \
    macro(__VA_ARGS__, short, short) macro(__VA_ARGS__, ushort, unsigned short)                    \
        macro(__VA_ARGS__, int, int) macro(__VA_ARGS__, uint, unsigned)                            \
            macro(__VA_ARGS__, ll, long long) macro(__VA_ARGS__, ull, unsigned long long)
#define SIMT_NARROW_INTEGER(T, HALF, suffix, rounding, function, name, type)                       \
    SIMT_VALUE(T, __##name##2##HALF##suffix, (type v), T::of(simt::as_double(v), rounding))        \
    SIMT_VALUE(type, __##HALF##2##name##suffix, (T v), simt::clamped<type>(function((double)v)))
/* A function of two numbers, for each of a pair. */
#define SIMT_NARROW_PAIRS(T2, name)                                                                \
    SIMT_VALUE(T2, name##2, (T2 a, T2 b), T2(name(a.x, b.x), name(a.y, b.y)))
/* A number wins over a NaN; in _nan loses to it. Of 0 and -0 the result is a if is_mine. */
#define SIMT_NARROW_CHOICE(T, T2, name, op, is_mine)                                               \
    SIMT_VALUE(T, name, (T a, T b),                                                                \
               __hisnan(a) || __hisnan(b)                                                          \
                   ? (__hisnan(a) ? (__hisnan(b) ? T::bits(0x7fff) : b) : a)                       \
               : (double)a op(double) b || ((double)a == (double)b && (is_mine)) ? a               \
                                                                                 : b)              \
    SIMT_VALUE(T, name##_nan, (T a, T b),                                                          \
               __hisnan(a) || __hisnan(b) ? T::bits(0x7fff) : name(a, b))                          \
    SIMT_NARROW_PAIRS(T2, name)                                                                    \
    SIMT_VALUE(T2, name##2_nan, (T2 a, T2 b), T2(name##_nan(a.x, b.x), name##_nan(a.y, b.y)))
/* Its other forms: _rn is never fused, _sat is from 0 to 1. */
#define SIMT_NARROW_FORMS(T, T2, name)                                                             \
    SIMT_VALUE(T, name##_rn, (T a, T b), name(a, b))                                               \
    SIMT_VALUE(T, name##_sat, (T a, T b), simt::saturated(name(a, b)))                             \
    SIMT_NARROW_PAIRS(T2, name)                                                                    \
    SIMT_VALUE(T2, name##2_rn, (T2 a, T2 b), name##2(a, b))                                        \
    SIMT_VALUE(T2, name##2_sat, (T2 a, T2 b), T2(name##_sat(a.x, b.x), name##_sat(a.y, b.y)))
#define SIMT_NARROW_FMA(T, T2, suffix, function)                                                   \
    SIMT_VALUE(T, __hfma##suffix, (T a, T b, T c), function(T::of(simt_narrow_fma(a, b, c))))      \
    SIMT_VALUE(T2, __hfma2##suffix, (T2 a, T2 b, T2 c),                                            \
               T2(__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y)))
#define SIMT_NARROW_FUNCTION(T, T2, name, ...)                                                     \
    SIMT_INLINE T h##name(T half)                                                                  \
    {                                                                                              \
        double v = half;                                                                           \
        return T::of(__VA_ARGS__);                                                                 \
    }                                                                                              \
    SIMT_VALUE(T2, h2##name, (T2 v), T2(h##name(v.x), h##name(v.y)))

#define SIMT_NARROW_ADD(T, is_half)                                                                \
    SIMT_SCOPES(                                                                                   \
        T, atomicAdd, (T * p, T v), (p, v),                                                        \
        simt::from_bits<T>(simt_atomic(is_half ? SIMT_ATOMIC_ADD_HALF : SIMT_ATOMIC_ADD_BFLOAT16,  \
                                       p, sizeof *p, 0, simt::to_bits(v), false)))

namespace simt {

/* Converts as a GPU does: to the nearest integer that fits. */
template <class T> SIMT_INLINE T clamped(double v)
{
    constexpr bool wide = sizeof(T) == 8;
    return std::is_unsigned_v<T> ? (T)simt_to_unsigned(v, 8 * sizeof(T), wide)
                                 : (T)simt_to_signed(v, 8 * sizeof(T), wide);
}

/* A double that rounds to two bytes as the number does. Of an integer of 64 bits, the last bit that
 * a double has room for says if any behind it is set. */
template <class N> SIMT_INLINE double as_double(N v)
{
    if constexpr (std::is_integral_v<N> && sizeof(N) == 8) {
        unsigned long long size = v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v;
        if (size >> 53) {
            size = (size & ~0x7ffull) | (unsigned long long)((size & 0x7ff) != 0) << 11;
            return v < 0 ? -(double)size : (double)size;
        }
    }
    return (double)v;
}

template <class T> SIMT_INLINE T saturated(T v)
{
    return (double)v > 1 ? T::of(1) : (double)v > 0 ? v : T::of(0);
}
template <class T> SIMT_INLINE T not_negative(T v)
{
    return (double)v > 0 || (double)v != (double)v ? v : T::of(0);
}

/* nvcc fuses a * b + c. The rewriter makes a * b, where it is added or subtracted, a *
 * ::simt::fuse->* b, and __hmul product_of (compile/values.c): of two-byte floats that is a product
 * which is not rounded yet. Other factors pass unchanged. */
struct fuse_type {};
constexpr fuse_type fuse;
#ifdef SIMT_NO_FMAD /* simtcc -fmad=false */
template <class T> inline constexpr bool is_fused = false;
#else
template <class T> inline constexpr bool is_fused = is_narrow<T>;
#endif
template <class T> struct factor {
    T v;
};
template <class T> struct product {
    T a, b;
    SIMT_INLINE_MEMBER operator T() const { return a * b; }
};
template <class T>
constexpr SIMT_INLINE std::enable_if_t<std::is_scalar_v<T>, T> operator->*(fuse_type, T v)
{
    return v;
}
template <class T>
constexpr SIMT_INLINE
    std::enable_if_t<!std::is_scalar_v<std::decay_t<T>> && !is_fused<std::decay_t<T>>, T &&>
    operator->*(fuse_type, T &&v)
{
    return static_cast<T &&>(v);
}
template <class T>
SIMT_INLINE std::enable_if_t<is_fused<T>, factor<T>> operator->*(fuse_type, const T &v)
{
    return {v};
}
template <class T> SIMT_INLINE product<T> operator*(T a, factor<T> b) { return {a, b.v}; }
template <class T> SIMT_INLINE product<T> operator-(product<T> p) { return {-p.a, p.b}; }
template <class T> SIMT_INLINE T operator+(product<T> p, T c) { return simt_fused(p.a, p.b, c); }
template <class T> SIMT_INLINE T operator+(T c, product<T> p) { return simt_fused(p.a, p.b, c); }
template <class T> SIMT_INLINE T operator+(product<T> p, product<T> q) { return p + (T)q; }
template <class T> SIMT_INLINE T operator-(product<T> p, T c) { return simt_fused(p.a, p.b, -c); }
template <class T> SIMT_INLINE T operator-(T c, product<T> p) { return simt_fused(-p.a, p.b, c); }
template <class T> SIMT_INLINE T operator-(product<T> p, product<T> q) { return p - (T)q; }
template <class T> SIMT_INLINE T &operator+=(T &c, product<T> p) { return c = c + p; }
template <class T> SIMT_INLINE T &operator-=(T &c, product<T> p) { return c = c - p; }
template <class T> SIMT_INLINE auto product_of(T a, T b) { return a * (fuse->*b); }
#define SIMT_NARROW_SUM(name, op)                                                                  \
    template <class T> SIMT_INLINE T name(product<T> p, T c) { return p op c; }                    \
    template <class T> SIMT_INLINE T name(T c, product<T> p) { return c op p; }                    \
    template <class T> SIMT_INLINE T name(product<T> p, product<T> q) { return p op q; }
SIMT_NARROW_SUM(__hadd, +)
SIMT_NARROW_SUM(__hadd2, +)
SIMT_NARROW_SUM(__hsub, -)
SIMT_NARROW_SUM(__hsub2, -)

} // namespace simt

/* T, T2: the types, such as __half and __half2. HALF, HALF2: the names in functions, half and half2
 * or bfloat16 and bfloat162. is_half: 1 for half, 0 for bfloat16. */
#define SIMT_NARROW(T, T2, HALF, HALF2, is_half)                                                   \
    struct __attribute__((aligned(2))) T##_raw {                                                   \
        unsigned short x;                                                                          \
    };                                                                                             \
    struct __attribute__((aligned(4))) T2##_raw {                                                  \
        unsigned short x, y;                                                                       \
    };                                                                                             \
    struct __attribute__((aligned(2))) T {                                                         \
        unsigned short __x;                                                                        \
        T() = default;                                                                             \
        template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>                      \
        SIMT_INLINE_MEMBER T(N v) : __x(simt_to_narrow(simt::as_double(v), is_half, SIMT_NEAREST)) \
        {                                                                                          \
        }                                                                                          \
        SIMT_INLINE_MEMBER T(T##_raw v) : __x(v.x) {}                                              \
        template <class N, class = decltype(&N::__x), class = decltype(N::of(0))>                  \
        explicit SIMT_INLINE_MEMBER T(N v) : T((float)v) /* of the other two-byte type */          \
        {                                                                                          \
        }                                                                                          \
        SIMT_INLINE_MEMBER operator T##_raw() const { return {__x}; }                              \
        SIMT_INLINE_MEMBER operator float() const { return simt_narrow_to_float(__x, is_half); }   \
        SIMT_INLINE_MEMBER operator bool() const { return (__x & 0x7fff) != 0; }                   \
        template <class N, class = std::enable_if_t<std::is_integral_v<N>>>                        \
        SIMT_INLINE_MEMBER operator N() const                                                      \
        {                                                                                          \
            return simt::clamped<N>((double)(float)*this);                                         \
        }                                                                                          \
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
        /* copied one by one, also as members of a larger structure, as by nvcc */                 \
        SIMT_INLINE_MEMBER T2(const T2 &v) { (unsigned &)*this = (const unsigned &)v; }            \
        SIMT_INLINE_MEMBER T2 &operator=(const T2 &v)                                              \
        {                                                                                          \
            (unsigned &)*this = (const unsigned &)v;                                               \
            return *this;                                                                          \
        }                                                                                          \
        SIMT_INLINE_MEMBER T2(T2##_raw v) : x(T::bits(v.x)), y(T::bits(v.y)) {}                    \
        SIMT_INLINE_MEMBER operator T2##_raw() const { return {x.__x, y.__x}; }                    \
    };                                                                                             \
    SIMT_VALUE(unsigned short, __##HALF##_as_ushort, (T v), v.__x)                                 \
    SIMT_VALUE(short, __##HALF##_as_short, (T v), (short)v.__x)                                    \
    SIMT_VALUE(T, __ushort_as_##HALF, (unsigned short v), T::bits(v))                              \
    SIMT_VALUE(T, __short_as_##HALF, (short v), T::bits((unsigned short)v))                        \
    /* conversions */                                                                              \
    SIMT_VALUE(float, __##HALF##2float, (T v), (float)v)                                           \
    SIMT_VALUE(T, __float2##HALF, (float v), T::of(v))                                             \
    SIMT_NARROW_ROUND(T, HALF, _rn, SIMT_NEAREST, rint)                                            \
    SIMT_NARROW_ROUND(T, HALF, _rz, SIMT_TO_ZERO, trunc)                                           \
    SIMT_NARROW_ROUND(T, HALF, _rd, SIMT_DOWN, floor)                                              \
    SIMT_NARROW_ROUND(T, HALF, _ru, SIMT_UP, ceil)                                                 \
    SIMT_VALUE(signed char, __##HALF##2char_rz, (T v), (signed char)v)                             \
    SIMT_VALUE(unsigned char, __##HALF##2uchar_rz, (T v), (unsigned char)v)                        \
    SIMT_VALUE(T, __double2##HALF, (double v),                                                     \
               v == v || is_half ? T::of(v) : T::bits(simt::to_bits((float)v) >> 16))              \
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
    /* arithmetic */                                                                               \
    SIMT_VALUE(T, __hadd, (T a, T b), T::of((double)a + (double)b))                                \
    SIMT_VALUE(T, __hsub, (T a, T b), T::of((double)a - (double)b))                                \
    SIMT_VALUE(T, __hmul, (T a, T b), T::of((double)a *(double)b))                                 \
    SIMT_VALUE(T, __hdiv, (T a, T b), T::of((double)a / (double)b))                                \
    SIMT_NARROW_FORMS(T, T2, __hadd)                                                               \
    SIMT_NARROW_FORMS(T, T2, __hsub)                                                               \
    SIMT_NARROW_FORMS(T, T2, __hmul)                                                               \
    SIMT_NARROW_FMA(T, T2, , )                                                                     \
    SIMT_NARROW_FMA(T, T2, _sat, simt::saturated)                                                  \
    SIMT_NARROW_FMA(T, T2, _relu, simt::not_negative)                                              \
    SIMT_INLINE T simt_fused(T a, T b, T c) { return __hfma(a, b, c); }                            \
    SIMT_INLINE T2 simt_fused(T2 a, T2 b, T2 c) { return __hfma2(a, b, c); }                       \
    template <> inline constexpr bool simt::is_narrow<T> = true;                                   \
    template <> inline constexpr bool simt::is_narrow<T2> = true;                                  \
    SIMT_VALUE(bool, __hisnan, (T v),                                                              \
               (v.__x & 0x7fff) > simt_to_narrow(INFINITY, is_half, SIMT_UP))                      \
    SIMT_VALUE(int, __hisinf, (T v), isinf((double)v) ? (v.__x & 0x8000 ? -1 : 1) : 0)             \
    SIMT_VALUE(T, __hneg, (T v), T::bits(__hisnan(v) ? 0x7fff : v.__x ^ 0x8000))                   \
    SIMT_VALUE(T2, __hcmadd, (T2 a, T2 b, T2 c),                                                   \
               T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),                                 \
                  __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))))                                        \
    SIMT_VALUE(T, __habs, (T v), T::bits(__hisnan(v) ? 0x7fff : v.__x & 0x7fff))                   \
    SIMT_NARROW_CHOICE(T, T2, __hmax, >, !(a.__x & 0x8000))                                        \
    SIMT_NARROW_CHOICE(T, T2, __hmin, <, a.__x & 0x8000)                                           \
    SIMT_VALUE(T2, __hisnan2, (T2 v), T2(__hisnan(v.x), __hisnan(v.y)))                            \
    SIMT_VALUE(T2, __h2div, (T2 a, T2 b), T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)))                  \
    SIMT_VALUE(T2, __hneg2, (T2 v), T2(__hneg(v.x), __hneg(v.y)))                                  \
    SIMT_VALUE(T2, __habs2, (T2 v), T2(__habs(v.x), __habs(v.y)))                                  \
    SIMT_NARROW_COMPARISONS(T, T2, ==, eq, eq)                                                     \
    SIMT_NARROW_COMPARISONS(T, T2, !=, ne, neu)                                                    \
    SIMT_NARROW_COMPARISONS(T, T2, <, lt, lt)                                                      \
    SIMT_NARROW_COMPARISONS(T, T2, <=, le, le)                                                     \
    SIMT_NARROW_COMPARISONS(T, T2, >, gt, gt)                                                      \
    SIMT_NARROW_COMPARISONS(T, T2, >=, ge, ge)                                                     \
    SIMT_NARROW_FUNCTION(T, T2, trunc, trunc(v))                                                   \
    SIMT_NARROW_FUNCTION(T, T2, floor, floor(v))                                                   \
    SIMT_NARROW_FUNCTION(T, T2, ceil, ceil(v))                                                     \
    SIMT_NARROW_FUNCTION(T, T2, rint, rint(v))                                                     \
    SIMT_NARROW_FUNCTION(T, T2, sqrt, sqrt(v))                                                     \
    SIMT_NARROW_FUNCTION(T, T2, rsqrt, rsqrt(v))                                                   \
    SIMT_NARROW_FUNCTION(T, T2, rcp, 1 / v)                                                        \
    SIMT_NARROW_FUNCTION(T, T2, exp, exp(v))                                                       \
    SIMT_NARROW_FUNCTION(T, T2, exp2, exp2(v))                                                     \
    SIMT_NARROW_FUNCTION(T, T2, exp10, exp10(v))                                                   \
    SIMT_NARROW_FUNCTION(T, T2, log, log(v))                                                       \
    SIMT_NARROW_FUNCTION(T, T2, log2, log2(v))                                                     \
    SIMT_NARROW_FUNCTION(T, T2, log10, log10(v))                                                   \
    SIMT_NARROW_FUNCTION(T, T2, sin, sin(v))                                                       \
    SIMT_NARROW_FUNCTION(T, T2, cos, cos(v))                                                       \
    SIMT_NARROW_FUNCTION(T, T2, tanh, tanh(v))                                                     \
    SIMT_NARROW_FUNCTION(T, T2, tanh_approx, tanh(v))                                              \
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
    SIMT_INLINE T2 operator+(const T2 &v) { return v; }                                            \
    SIMT_NARROW_STEP(T, ++, __hadd, T::of(1))                                                      \
    SIMT_NARROW_STEP(T, --, __hsub, T::of(1))                                                      \
    SIMT_NARROW_STEP(T2, ++, __hadd2, T2(1, 1))                                                    \
    SIMT_NARROW_STEP(T2, --, __hsub2, T2(1, 1))                                                    \
    SIMT_NARROW_ADD(T, is_half)                                                                    \
    SIMT_NARROW_ADD(T2, is_half)
