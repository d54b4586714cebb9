/* Device functions that compute: bits, conversions, arithmetic. cuda_runtime.h, whose macros this
 * file uses, includes it at its end. */
#pragma once

/* ---- bits ---- */
SIMT_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
SIMT_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
SIMT_INLINE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
SIMT_INLINE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
SIMT_INLINE int __ffs(int v) { return __builtin_ffs(v); }
SIMT_INLINE int __ffsll(long long v) { return __builtin_ffsll(v); }
SIMT_INLINE unsigned __brev(unsigned v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}
SIMT_VALUE(unsigned long long, __brevll, (unsigned long long v),
           (unsigned long long)__brev((unsigned)v) << 32 | __brev((unsigned)(v >> 32)))
SIMT_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    unsigned long long bytes = (unsigned long long)b << 32 | a;
#define SIMT_SELECT(k) ((unsigned)(bytes >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k)
    return SIMT_SELECT(0) | SIMT_SELECT(1) | SIMT_SELECT(2) | SIMT_SELECT(3);
}
/* Shifts high and low as one number, by n modulo 32, or by at most 32. */
#define SIMT_FUNNEL(suffix, count)                                                                 \
    SIMT_VALUE(unsigned, __funnelshift_l##suffix, (unsigned low, unsigned high, unsigned n),       \
               (unsigned)((((unsigned long long)high << 32 | low) << (count)) >> 32))              \
    SIMT_VALUE(unsigned, __funnelshift_r##suffix, (unsigned low, unsigned high, unsigned n),       \
               (unsigned)(((unsigned long long)high << 32 | low) >> (count)))
SIMT_FUNNEL(, n & 31)
SIMT_FUNNEL(c, n < 32 ? n : 32)
/* The place of the offset-th bit of mask from base on, upwards or downwards. Source: PTX, fns. */
SIMT_INLINE unsigned __fns(unsigned mask, unsigned base, int offset)
{
    unsigned left = (unsigned)(offset < 0 ? -offset : offset);

    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : ~0u;
    for (; base < 32; base += offset < 0 ? -1 : 1)
        if ((mask >> base & 1) && --left == 0)
            return base;
    return ~0u;
}
SIMT_INLINE int __float_as_int(float v) { return (int)simt::to_bits(v); }
SIMT_INLINE float __int_as_float(int v) { return simt::from_bits<float>((unsigned)v); }
SIMT_INLINE unsigned __float_as_uint(float v) { return (unsigned)simt::to_bits(v); }
SIMT_INLINE float __uint_as_float(unsigned v) { return simt::from_bits<float>(v); }
SIMT_INLINE double __longlong_as_double(long long v) { return simt::from_bits<double>(v); }
SIMT_INLINE long long __double_as_longlong(double v) { return (long long)simt::to_bits(v); }
SIMT_INLINE int __double2hiint(double v) { return (int)(simt::to_bits(v) >> 32); }
SIMT_INLINE int __double2loint(double v) { return (int)simt::to_bits(v); }
SIMT_VALUE(double, __hiloint2double, (int high, int low),
           simt::from_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low))

/* ---- with a rounding of their own: of(rn, SIMT_NEAREST, …) and so on ---- */
#define SIMT_ROUNDINGS(of, ...)                                                                    \
    of(rn, SIMT_NEAREST, __VA_ARGS__) of(rz, SIMT_TO_ZERO, __VA_ARGS__)                            \
        of(rd, SIMT_DOWN, __VA_ARGS__) of(ru, SIMT_UP, __VA_ARGS__)

#define SIMT_TO_INTEGER(name, from, to, suffix)                                                    \
    SIMT_INLINE to __##name##_rn(from v) { return simt::cast<to>(rint##suffix(v)); }               \
    SIMT_INLINE to __##name##_rz(from v) { return simt::cast<to>(v); }                             \
    SIMT_INLINE to __##name##_rd(from v) { return simt::cast<to>(floor##suffix(v)); }              \
    SIMT_INLINE to __##name##_ru(from v) { return simt::cast<to>(ceil##suffix(v)); }
#define SIMT_FROM_NUMBER(suffix, rounding, name, from, to)                                         \
    SIMT_VALUE(to, __##name##2##to##_##suffix, (from v), simt_to_##to(rounding, v))
#define SIMT_INTEGER_CONVERSIONS(name, type)                                                       \
    SIMT_TO_INTEGER(float2##name, float, type, f)                                                  \
    SIMT_TO_INTEGER(double2##name, double, type, )                                                 \
    SIMT_ROUNDINGS(SIMT_FROM_NUMBER, name, type, float)
SIMT_INTEGER_CONVERSIONS(int, int)
SIMT_INTEGER_CONVERSIONS(uint, unsigned)
SIMT_INTEGER_CONVERSIONS(ll, long long)
SIMT_INTEGER_CONVERSIONS(ull, unsigned long long)
SIMT_FROM_NUMBER(rn, SIMT_NEAREST, int, int, double)
SIMT_FROM_NUMBER(rn, SIMT_NEAREST, uint, unsigned, double)
SIMT_ROUNDINGS(SIMT_FROM_NUMBER, ll, long long, double)
SIMT_ROUNDINGS(SIMT_FROM_NUMBER, ull, unsigned long long, double)
SIMT_ROUNDINGS(SIMT_FROM_NUMBER, double, double, float)

#define SIMT_ROUNDED(suffix, rounding, type, prefix, fma_name)                                     \
    SIMT_VALUE(type, prefix##add_##suffix, (type a, type b),                                       \
               simt_##type(SIMT_PLUS, rounding, a, b, 0))                                          \
    SIMT_VALUE(type, prefix##sub_##suffix, (type a, type b),                                       \
               simt_##type(SIMT_MINUS, rounding, a, b, 0))                                         \
    SIMT_VALUE(type, prefix##mul_##suffix, (type a, type b),                                       \
               simt_##type(SIMT_TIMES, rounding, a, b, 0))                                         \
    SIMT_VALUE(type, prefix##div_##suffix, (type a, type b),                                       \
               simt_##type(SIMT_OVER, rounding, a, b, 0))                                          \
    SIMT_VALUE(type, prefix##rcp_##suffix, (type v), simt_##type(SIMT_OVER, rounding, 1, v, 0))    \
    SIMT_VALUE(type, prefix##sqrt_##suffix, (type v), simt_##type(SIMT_ROOT, rounding, v, 0, 0))   \
    SIMT_VALUE(type, fma_name##_##suffix, (type a, type b, type c),                                \
               simt_##type(SIMT_FMA, rounding, a, b, c))
SIMT_ROUNDINGS(SIMT_ROUNDED, float, __f, __fmaf)
SIMT_ROUNDINGS(SIMT_ROUNDED, double, __d, __fma)
#define SIMT_ROUNDED_IEEE(suffix, rounding, ...)                                                   \
    SIMT_VALUE(float, __fmaf_ieee_##suffix, (float a, float b, float c), __fmaf_##suffix(a, b, c))
SIMT_ROUNDINGS(SIMT_ROUNDED_IEEE, )

/* ---- arithmetic that C lacks or names otherwise. Functions that a GPU approximates are exact
 * here. Source: CUDA Math API reference. ---- */
SIMT_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
SIMT_VALUE(int, __mulhi, (int a, int b), (int)((long long)a *b >> 32))
SIMT_VALUE(unsigned, __umulhi, (unsigned a, unsigned b), (unsigned)((unsigned long long)a *b >> 32))
SIMT_VALUE(long long, __mul64hi, (long long a, long long b), (long long)((__int128)a *b >> 64))
SIMT_VALUE(unsigned long long, __umul64hi, (unsigned long long a, unsigned long long b),
           (unsigned long long)((unsigned __int128)a *b >> 64))
SIMT_VALUE(unsigned, __usad, (unsigned a, unsigned b, unsigned c), (a > b ? a - b : b - a) + c)
SIMT_VALUE(unsigned, __sad, (int a, int b, unsigned c),
           (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c)
SIMT_VALUE(int, __hadd, (int a, int b), (int)(((long long)a + b) >> 1))
SIMT_VALUE(int, __rhadd, (int a, int b), (int)(((long long)a + b + 1) >> 1))
SIMT_VALUE(unsigned, __uhadd, (unsigned a, unsigned b), (unsigned)((0ull + a + b) >> 1))
SIMT_VALUE(unsigned, __urhadd, (unsigned a, unsigned b), (unsigned)((1ull + a + b) >> 1))
SIMT_INLINE float __saturatef(float v) { return v > 1 ? 1 : v > 0 ? v : 0; }
SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
SIMT_C_NAMED float fdividef(float a, float b) noexcept { return a / b; }
SIMT_C_NAMED double fdivide(double a, double b) noexcept { return a / b; }

/* Of n integers that are packed into 32 bits (run/arithmetic.c). */
#define SIMT_PACKED(name, op, n, is_signed)                                                        \
    SIMT_VALUE(unsigned, __v##name##n, (unsigned a, unsigned b),                                   \
               simt_packed(SIMT_PACKED_##op, 32 / n, is_signed, a, b))
#define SIMT_PACKED_BOTH(name, op, n)                                                              \
    SIMT_PACKED(name##s, op, n, true) SIMT_PACKED(name##u, op, n, false)
#define SIMT_PACKED_COMPARISON(name, op, n, is_signed, one)                                        \
    SIMT_PACKED(cmp##name, op, n, is_signed)                                                       \
    SIMT_VALUE(unsigned, __vset##name##n, (unsigned a, unsigned b), __vcmp##name##n(a, b) & one)
#define SIMT_PACKED_COMPARISONS(name, op, n, one)                                                  \
    SIMT_PACKED_COMPARISON(name##s, op, n, true, one)                                              \
    SIMT_PACKED_COMPARISON(name##u, op, n, false, one)
#define SIMT_PACKED_ALL(n, one)                                                                    \
    SIMT_PACKED(add, ADD, n, false)                                                                \
    SIMT_PACKED(sub, SUB, n, false)                                                                \
    SIMT_PACKED_BOTH(avg, AVERAGE, n)                                                              \
    SIMT_PACKED_BOTH(max, MAX, n)                                                                  \
    SIMT_PACKED_BOTH(min, MIN, n)                                                                  \
    SIMT_PACKED_BOTH(absdiff, DIFFERENCE, n)                                                       \
    SIMT_PACKED(haddu, HALF_SUM, n, false)                                                         \
    SIMT_PACKED(addss, ADD_CLAMPED, n, true)                                                       \
    SIMT_PACKED(addus, ADD_CLAMPED, n, false)                                                      \
    SIMT_PACKED(subss, SUB_CLAMPED, n, true)                                                       \
    SIMT_PACKED(subus, SUB_CLAMPED, n, false)                                                      \
    SIMT_PACKED_COMPARISON(eq, EQ, n, false, one)                                                  \
    SIMT_PACKED_COMPARISON(ne, NE, n, false, one)                                                  \
    SIMT_PACKED_COMPARISONS(ge, GE, n, one)                                                        \
    SIMT_PACKED_COMPARISONS(gt, GT, n, one)                                                        \
    SIMT_PACKED_COMPARISONS(le, LE, n, one)                                                        \
    SIMT_PACKED_COMPARISONS(lt, LT, n, one)                                                        \
    SIMT_VALUE(unsigned, __vneg##n, (unsigned v), __vsub##n(0, v))                                 \
    SIMT_VALUE(unsigned, __vnegss##n, (unsigned v), __vsubss##n(0, v))                             \
    SIMT_VALUE(unsigned, __vabs##n, (unsigned v), __vmaxs##n(v, __vneg##n(v)))                     \
    SIMT_VALUE(unsigned, __vabsss##n, (unsigned v), __vmaxs##n(v, __vnegss##n(v)))                 \
    SIMT_VALUE(unsigned, __vsads##n, (unsigned a, unsigned b), simt::sum##n(__vabsdiffs##n(a, b))) \
    SIMT_VALUE(unsigned, __vsadu##n, (unsigned a, unsigned b), simt::sum##n(__vabsdiffu##n(a, b)))
namespace simt {
SIMT_VALUE(unsigned, sum2, (unsigned v), (v & 0xffff) + (v >> 16))
SIMT_VALUE(unsigned, sum4, (unsigned v), sum2((v & 0xff00ff) + (v >> 8 & 0xff00ff)))
} // namespace simt
SIMT_PACKED_ALL(2, 0x00010001)
SIMT_PACKED_ALL(4, 0x01010101)

/* Sums of products of packed numbers: of four bytes with four bytes, and of two 16-bit numbers with
 * the two bytes from number `from` on. */
#define SIMT_PART(type, v, k) ((type)((unsigned)(v) >> 8 * (unsigned)sizeof(type) * (k)))
#define SIMT_DOT_OF_TWO(type, half, byte, name, from, halves, bytes)                               \
    SIMT_VALUE(type, name, (type a, type b, type c),                                               \
               SIMT_PART(half, a, 0) * SIMT_PART(byte, b, from) +                                  \
                   SIMT_PART(half, a, 1) * SIMT_PART(byte, b, from + 1) + c)                       \
    SIMT_VALUE(type, name, (halves a, bytes b, type c),                                            \
               name((type)simt::to_bits(a), (type)simt::to_bits(b), c))
#define SIMT_DOTS(type, half, byte, halves, bytes)                                                 \
    SIMT_VALUE(type, __dp4a, (type a, type b, type c),                                             \
               SIMT_PART(byte, a, 0) * SIMT_PART(byte, b, 0) +                                     \
                   SIMT_PART(byte, a, 1) * SIMT_PART(byte, b, 1) +                                 \
                   SIMT_PART(byte, a, 2) * SIMT_PART(byte, b, 2) +                                 \
                   SIMT_PART(byte, a, 3) * SIMT_PART(byte, b, 3) + c)                              \
    SIMT_VALUE(type, __dp4a, (bytes a, bytes b, type c),                                           \
               __dp4a((type)simt::to_bits(a), (type)simt::to_bits(b), c))                          \
    SIMT_DOT_OF_TWO(type, half, byte, __dp2a_lo, 0, halves, bytes)                                 \
    SIMT_DOT_OF_TWO(type, half, byte, __dp2a_hi, 2, halves, bytes)
SIMT_DOTS(int, short, signed char, short2, char4)
SIMT_DOTS(unsigned, unsigned short, unsigned char, ushort2, uchar4)

/* ---- functions that C libraries lack, or lacked until C23 (run/arithmetic.c) ---- */
#define SIMT_FUNCTION_N(name, arguments, doubles, floats)                                          \
    extern "C" long double simt_##name doubles __attribute__((const, nothrow));                    \
    SIMT_C_NAMED double name doubles noexcept { return (double)simt_##name arguments; }            \
    SIMT_C_NAMED float name##f floats noexcept { return (float)simt_##name arguments; }
#define SIMT_FUNCTION_1(name)                                                                      \
    SIMT_FUNCTION_N(name, (v), (double v), (float v))                                              \
    SIMT_VALUE(float, name, (float v), name##f(v))
SIMT_FUNCTION_1(sinpi)
SIMT_FUNCTION_1(cospi)
SIMT_FUNCTION_1(rsqrt)
SIMT_FUNCTION_1(rcbrt)
SIMT_FUNCTION_1(erfinv)
SIMT_FUNCTION_1(erfcinv)
SIMT_FUNCTION_1(erfcx)
SIMT_FUNCTION_1(normcdf)
SIMT_FUNCTION_1(normcdfinv)
SIMT_FUNCTION_N(rhypot, (a, b), (double a, double b), (float a, float b))
SIMT_FUNCTION_N(norm3d, (a, b, c), (double a, double b, double c), (float a, float b, float c))
SIMT_FUNCTION_N(rnorm3d, (a, b, c), (double a, double b, double c), (float a, float b, float c))
SIMT_FUNCTION_N(norm4d, (a, b, c, d), (double a, double b, double c, double d),
                (float a, float b, float c, float d))
SIMT_FUNCTION_N(rnorm4d, (a, b, c, d), (double a, double b, double c, double d),
                (float a, float b, float c, float d))
SIMT_INLINE float __frsqrt_rn(float v) { return rsqrtf(v); }
/* In C these names are the functions of doubles alone. */
SIMT_VALUE(float, exp10, (float v), exp10f(v))
SIMT_VALUE(float, j0, (float v), j0f(v))
SIMT_VALUE(float, j1, (float v), j1f(v))
SIMT_VALUE(float, jn, (int n, float v), jnf(n, v))
SIMT_VALUE(float, y0, (float v), y0f(v))
SIMT_VALUE(float, y1, (float v), y1f(v))
SIMT_VALUE(float, yn, (int n, float v), ynf(n, v))
#define SIMT_OF_MEMORY(type, suffix)                                                               \
    SIMT_C_NAMED void sincospi##suffix(type v, type *sine, type *cosine) noexcept                  \
    {                                                                                              \
        *sine = sinpi##suffix(v), *cosine = cospi##suffix(v);                                      \
    }                                                                                              \
    SIMT_INLINE type norm##suffix(int n, const type *p)                                            \
    {                                                                                              \
        long double sum = 0;                                                                       \
        bool infinite = false;                                                                     \
        for (int i = 0; i < n; i++) {                                                              \
            type v = p[i];                                                                         \
            sum += (long double)v * v;                                                             \
            infinite |= __builtin_isinf(v) != 0;                                                   \
        }                                                                                          \
        return infinite ? (type)INFINITY : (type)__builtin_sqrtl(sum);                             \
    }                                                                                              \
    SIMT_INLINE type rnorm##suffix(int n, const type *p) { return 1 / norm##suffix(n, p); }
SIMT_OF_MEMORY(float, f)
SIMT_OF_MEMORY(double, )
SIMT_INLINE void sincos(float v, float *sine, float *cosine) { sincosf(v, sine, cosine); }
SIMT_INLINE void sincospi(float v, float *sine, float *cosine) { sincospif(v, sine, cosine); }
/* __powf, as the rewriter spells it: __sinf and its like it calls sinf and so on. */
SIMT_VALUE(float, simt_powf, (float a, float b), exp2f(b *log2f(a)))

#define SIMT_MIN_AND_MAX_OF(type, a_type, b_type, smaller, larger)                                 \
    SIMT_INLINE type min(a_type a, b_type b) { return smaller; }                                   \
    SIMT_INLINE type max(a_type a, b_type b) { return larger; }
#define SIMT_INTEGERS(type, a_type, b_type)                                                        \
    SIMT_MIN_AND_MAX_OF(type, a_type, b_type,                                                      \
                        (type)a<(type)b ? (type)a : (type)b, (type)a>(type) b ? (type)a : (type)b)
#define SIMT_INTEGERS_OF(type)                                                                     \
    SIMT_INTEGERS(type, type, type)                                                                \
    SIMT_INTEGERS(unsigned type, unsigned type, unsigned type)                                     \
    SIMT_INTEGERS(unsigned type, type, unsigned type)                                              \
    SIMT_INTEGERS(unsigned type, unsigned type, type)
SIMT_INTEGERS_OF(int)
SIMT_INTEGERS_OF(long)
SIMT_INTEGERS_OF(long long)
#define SIMT_MIN_AND_MAX_NAMED(prefix, type)                                                       \
    SIMT_INLINE type prefix##min(type a, type b) { return min(a, b); }                             \
    SIMT_INLINE type prefix##max(type a, type b) { return max(a, b); }
SIMT_MIN_AND_MAX_NAMED(u, unsigned)
SIMT_MIN_AND_MAX_NAMED(ll, long long)
SIMT_MIN_AND_MAX_NAMED(ull, unsigned long long)
SIMT_MIN_AND_MAX_OF(float, float, float, fminf(a, b), fmaxf(a, b))
SIMT_MIN_AND_MAX_OF(double, double, double, fmin(a, b), fmax(a, b))
SIMT_MIN_AND_MAX_OF(double, double, float, fmin(a, b), fmax(a, b))
SIMT_MIN_AND_MAX_OF(double, float, double, fmin(a, b), fmax(a, b))
