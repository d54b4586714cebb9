/* Device functions that compute: bits, conversions, arithmetic. The end of cuda_runtime.h, whose
 * macros they are made by. */
#ifndef SIMT_MATH_H
#define SIMT_MATH_H

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

/* ---- conversions: to the nearest, towards zero, down, up ---- */
#define SIMT_TO_INTEGER(name, from, to, suffix)                                                    \
    SIMT_INLINE to __##name##_rn(from v) { return simt::cast<to>(rint##suffix(v)); }               \
    SIMT_INLINE to __##name##_rz(from v) { return simt::cast<to>(v); }                             \
    SIMT_INLINE to __##name##_rd(from v) { return simt::cast<to>(floor##suffix(v)); }              \
    SIMT_INLINE to __##name##_ru(from v) { return simt::cast<to>(ceil##suffix(v)); }
SIMT_TO_INTEGER(float2int, float, int, f)
SIMT_TO_INTEGER(float2uint, float, unsigned, f)
SIMT_TO_INTEGER(double2int, double, int, )
SIMT_INLINE float __int2float_rn(int v) { return (float)v; }
SIMT_INLINE float __uint2float_rn(unsigned v) { return (float)v; }
SIMT_INLINE float __double2float_rn(double v) { return (float)v; }

/* ---- arithmetic: what C has not, or has by another name. What a GPU approximates is exact here.
 * Source: CUDA Math API reference. ---- */
SIMT_INLINE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
SIMT_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
SIMT_INLINE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
SIMT_VALUE(unsigned, __umulhi, (unsigned a, unsigned b), (unsigned)((unsigned long long)a *b >> 32))
SIMT_INLINE float __saturatef(float v) { return v < 0 ? 0 : v > 1 ? 1 : v; }
SIMT_C_NAMED float rsqrtf(float v) noexcept { return 1 / sqrtf(v); }
SIMT_C_NAMED double rsqrt(double v) noexcept { return 1 / sqrt(v); }
SIMT_C_NAMED float fdividef(float a, float b) noexcept { return a / b; }
SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
SIMT_INLINE float __frsqrt_rn(float v) { return 1 / sqrtf(v); }
#define SIMT_ROUNDED(type, prefix, suffix)                                                         \
    SIMT_INLINE type prefix##add_rn(type a, type b) { return a + b; }                              \
    SIMT_INLINE type prefix##sub_rn(type a, type b) { return a - b; }                              \
    SIMT_INLINE type prefix##mul_rn(type a, type b) { return a * b; }                              \
    SIMT_INLINE type prefix##div_rn(type a, type b) { return a / b; }                              \
    SIMT_INLINE type prefix##rcp_rn(type v) { return 1 / v; }                                      \
    SIMT_INLINE type prefix##sqrt_rn(type v) { return sqrt##suffix(v); }
SIMT_ROUNDED(float, __f, f)
SIMT_ROUNDED(double, __d, )
SIMT_INLINE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
SIMT_INLINE double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
/* glibc declares functions of these names and has none: a macro alone can stand in their place */
#define __expf(v)          expf(v)
#define __exp10f(v)        exp10f(v)
#define __logf(v)          logf(v)
#define __log2f(v)         log2f(v)
#define __log10f(v)        log10f(v)
#define __sinf(v)          sinf(v)
#define __cosf(v)          cosf(v)
#define __tanf(v)          tanf(v)
#define __tanhf(v)         tanhf(v)
#define __powf(a, b)       powf(a, b)
#define __sincosf(v, s, c) sincosf(v, s, c)

#define SIMT_MIN_AND_MAX_OF(type, a_type, b_type, smaller, larger)                                 \
    SIMT_INLINE type min(a_type a, b_type b) { return smaller; }                                   \
    SIMT_INLINE type max(a_type a, b_type b) { return larger; }
#define SIMT_INTEGERS(type, a_type, b_type)                                                        \
    SIMT_MIN_AND_MAX_OF(type, a_type, b_type,                                                      \
                        (type)a<(type)b ? (type)a : (type)b, (type)a>(type) b ? (type)a : (type)b)
SIMT_INTEGERS(int, int, int)
SIMT_INTEGERS(unsigned, unsigned, unsigned)
SIMT_INTEGERS(unsigned, int, unsigned)
SIMT_INTEGERS(unsigned, unsigned, int)
SIMT_INTEGERS(long, long, long)
SIMT_INTEGERS(unsigned long, unsigned long, unsigned long)
SIMT_INTEGERS(long long, long long, long long)
SIMT_INTEGERS(unsigned long long, unsigned long long, unsigned long long)
SIMT_MIN_AND_MAX_OF(float, float, float, fminf(a, b), fmaxf(a, b))
SIMT_MIN_AND_MAX_OF(double, double, double, fmin(a, b), fmax(a, b))
SIMT_MIN_AND_MAX_OF(double, double, float, fmin(a, b), fmax(a, b))
SIMT_MIN_AND_MAX_OF(double, float, double, fmin(a, b), fmax(a, b))

#endif
