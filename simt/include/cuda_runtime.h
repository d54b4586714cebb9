/* CUDA for g++: the declarations that nvcc puts in front of a .cu file.
 *
 * A thin layer: qualifiers become nothing or a g++ attribute, and built-in variables and functions
 * become calls of the CPU backend's C interface (simt_device.h). simtcc puts this file in front of
 * every .cu. Its rewriter handles the rest, which no macro can: <<<>>>, __shared__, and the
 * variables behind __device__ and __constant__. */
#pragma once

#include "cuda_runtime_api.h"

#ifdef __cplusplus /* a C file of the host calls the runtime, and has no device code */

#include "simt_device.h"
#define __builtin_memmove                                                                          \
    simt_memmove /* std::copy's; a memcpy, which g++ makes of it, is not seen */
#include "simt_launch.h"

#include <bits/stl_algobase.h>
#include <limits.h>
#include <limits>
#include <math.h>
#include <new>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <type_traits>
#include <utility>

#define __NVCC__             1
#define __CUDACC__           1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
/* The rewriter recognises kernels by this word, and makes it an attribute: g++ must not look into a
 * kernel at its launch, where it would act on an argument that is null. */
#define __global__        __simt_kernel__
#define __host__          __simt_host__
#define __forceinline__   inline __attribute__((always_inline))
#define __launch_bounds__ __launch_bounds__ /* the rewriter's; a macro, as nvcc has it */
#define __grid_constant__
#define __maxnreg__(n)
#define typeof __typeof__ /* a word also with -std=c++17 */
#define __builtin_assume(condition) ((void)0)
#define __align__(n)                __attribute__((aligned(n)))
#define __builtin_align__(n)        __attribute__((aligned(n)))

/* Helpers are inlined into the line that calls them, so that their accesses are counted there. */
#define SIMT_INLINE        static inline __attribute__((always_inline, unused))
#define SIMT_INLINE_MEMBER inline __attribute__((always_inline))
/* A function whose name a C library may declare as well: C23 has sinpi and rsqrt. It is a C
 * function, too, so that both declarations name one function. */
#define SIMT_C_NAMED extern "C" inline __attribute__((always_inline, unused))

/* A function of one expression. */
#define SIMT_VALUE(type, name, parameters, ...)                                                    \
    SIMT_INLINE type name parameters { return __VA_ARGS__; }

SIMT_VALUE(int, simt_warp_size, (), 32) /* no constant, as in nvcc */

/* All three axes; the compiler leaves out those that nobody uses. bit_cast instead of a
 * constructor, which is a function with hooks where nothing is optimised. */
#define SIMT_DIMENSIONS(type, call)                                                                \
    SIMT_VALUE(type, call, (),                                                                     \
               __builtin_bit_cast(type, uint3{call##_at(0), call##_at(1), call##_at(2)}))
SIMT_DIMENSIONS(uint3, simt_thread_idx)
SIMT_DIMENSIONS(uint3, simt_block_idx)
SIMT_DIMENSIONS(dim3, simt_block_dim)
SIMT_DIMENSIONS(dim3, simt_grid_dim)

namespace simt {

/* Makes the structure that a call returns an object, so that the hooks see it copied
 * (compile/calls.c). */
template <class T> constexpr SIMT_INLINE T &&value(T &&v) { return static_cast<T &&>(v); }

/* Converts a number as a GPU does, to integers of fewer than 32 bits by way of 32 bits. The
 * rewriter puts casts into this form (compile/values.c), also those to types that turn out to be
 * something else. */
template <class T, class X>
inline constexpr bool are_scalar = std::is_scalar_v<T> &&std::is_scalar_v<std::decay_t<X>>;
template <class T, class X>
constexpr SIMT_INLINE std::enable_if_t<are_scalar<T, X>, T> cast(X v) noexcept
{
    if constexpr (std::is_floating_point_v<X> && std::is_integral_v<T> &&
                  !std::is_same_v<T, bool>) {
        constexpr unsigned bits = sizeof(T) < 4 ? 32 : 8 * sizeof(T);
        constexpr bool wide = sizeof(X) > 4 || bits == 64;
        if (!__builtin_is_constant_evaluated())
            return (T)(std::is_unsigned_v<T> ? simt_to_unsigned(v, bits, wide)
                                             : simt_to_signed(v, bits, wide));
    }
    return (T)v;
}
template <class T, class X> constexpr SIMT_INLINE std::enable_if_t<!are_scalar<T, X>, T> cast(X &&v)
{
    return (T) static_cast<X &&>(v);
}

/* Shifts as a GPU does, also by the width or more. The rewriter makes a << b a << ::simt::shift <<
 * b, and a <<= b a <<= ::simt::by(b). Operands that are no integers pass unchanged. */
struct shift_type {};
constexpr shift_type shift;
template <class T> struct shifted {
    T v;
};
template <class T> struct by {
    T n;
    constexpr SIMT_INLINE_MEMBER by(T v) : n(v) {}
    constexpr SIMT_INLINE_MEMBER operator T() const { return n; }
};
SIMT_INLINE void check_shift(long long count, unsigned width)
{
    if (__builtin_expect((unsigned long long)count >= width, 0))
        simt_wide_shift(count, width);
}
template <class T> inline constexpr bool is_shifted = std::is_integral_v<std::remove_cv_t<T>>;
#define SIMT_SHIFT(sign, function)                                                                 \
    template <class T, class = std::enable_if_t<!is_shifted<std::remove_reference_t<T>>>>          \
    constexpr SIMT_INLINE T &&operator sign(T &&v, shift_type)                                     \
    {                                                                                              \
        return static_cast<T &&>(v);                                                               \
    }                                                                                              \
    template <class T, class = std::enable_if_t<is_shifted<T>>>                                    \
    constexpr SIMT_INLINE shifted<T> operator sign(T v, shift_type)                                \
    {                                                                                              \
        return {v};                                                                                \
    }                                                                                              \
    template <class T, class N>                                                                    \
    constexpr SIMT_INLINE auto operator sign(shifted<T> a, N n)->decltype(a.v sign n)              \
    {                                                                                              \
        typedef decltype(a.v sign n) type;                                                         \
        if constexpr (std::is_integral_v<N> || std::is_enum_v<N>)                                  \
            if (!__builtin_is_constant_evaluated())                                                \
                return check_shift((long long)n, 8 * sizeof(type)),                                \
                       (type)function((uint64_t)(type)a.v, (unsigned)n, std::is_signed_v<type>);   \
        return a.v sign n;                                                                         \
    }                                                                                              \
    template <class T, class N, class = std::enable_if_t<is_shifted<T>>>                           \
    constexpr SIMT_INLINE std::conditional_t<std::is_volatile_v<T>, std::remove_cv_t<T>, T &>      \
    operator sign##=(T &a, by<N> b)                                                                \
    {                                                                                              \
        return a = (T)(a sign shift sign b.n);                                                     \
    }
SIMT_SHIFT(<<, simt_shift_left)
SIMT_SHIFT(>>, simt_shift_right)

/* Its name contains a type, for the record of an extern __shared__ array in a template (simtcc). */
template <class T> inline char type_of_shared;

/* The argument of __launch_bounds__ that limits the threads of a block. */
template <class... T> constexpr long first(long threads, T...) { return threads; }

/* The rewriter puts this in front of each kernel's code: a record for run/launch.c, an address in
 * the kernel and first(…), which needs no code. The ? puts it into the kernel's own group of
 * sections, of which the linker keeps one. */
template <long threads> SIMT_INLINE void kernel_begins()
{
    __asm__("1:\n.pushsection simt_kernels,\"a?\",%%progbits\n.8byte 1b, %c0\n.popsection"
            :
            : "i"(threads));
}

/* The rewriter puts this around a CUDA call whose result the program throws away or overwrites. */
inline cudaError_t discard(simt_site site, cudaError_t error)
{
    simt_discard(&site, error);
    return error;
}

/* And this around the address of an atomic, or a mask of __activemask() that the program does not
 * look at (compile/calls.c). */
template <unsigned form, class T> SIMT_INLINE T of_form(T v)
{
    simt_next(form);
    return v;
}

/* Any value of up to 8 bytes as the 64 bits in which warp operations carry it, and back. */
template <class T> __attribute__((no_sanitize_thread)) SIMT_INLINE uint64_t to_bits(T value)
{
    static_assert(sizeof(T) <= 8, "warp operations take values of up to 8 bytes");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> __attribute__((no_sanitize_thread)) SIMT_INLINE T from_bits(uint64_t bits)
{
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* Floats of two bytes, and pairs of them (simt_narrow.h). */
template <class T> inline constexpr bool is_narrow = false;

/* The bits of what a shuffle or a match takes. */
template <class T> SIMT_INLINE uint64_t number(T value)
{
    static_assert(std::is_convertible_v<T, int> || is_narrow<T>,
                  "warp operations take numbers alone, as nvcc's: want a call for each member");
    return to_bits(value);
}

template <class T>
using promoted = std::conditional_t<std::is_integral_v<T> && sizeof(T) < sizeof(int), int, T>;

} // namespace simt

#include "simt_calls.h"

/* ---- make_int4 and its like ---- */
#define SIMT_MAKE(name, type, size)                                                                \
    SIMT_INLINE name##1 make_##name##1(type x) { return {x}; }                                     \
    SIMT_INLINE name##2 make_##name##2(type x, type y) { return {x, y}; }                          \
    SIMT_INLINE name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }               \
    SIMT_INLINE name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SIMT_EACH_VECTOR(SIMT_MAKE)
#define SIMT_MAKE_LARGE(name, type, bytes)                                                         \
    SIMT_INLINE name##4_##bytes##a make_##name##4_##bytes##a(type x, type y, type z, type w)       \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
SIMT_EACH_LARGE_VECTOR(SIMT_MAKE_LARGE, 16)
SIMT_EACH_LARGE_VECTOR(SIMT_MAKE_LARGE, 32)

/* ---- synchronisation ---- */
/* Macros, since a number tells the barriers on one line apart (judge/barrier.c). */
#define SIMT_NUMBER              (__COUNTER__ % 32)
#define __syncthreads()          simt_syncthreads(SIMT_NUMBER)
#define __syncthreads_count(...) simt_syncthreads_vote(__VA_ARGS__, SIMT_NUMBER)
#define __syncthreads_or(...)    (int)(simt_syncthreads_vote(__VA_ARGS__, SIMT_NUMBER) > 0)
#define __syncthreads_and(...)   (int)(simt_syncthreads_vote(!(int)(__VA_ARGS__), SIMT_NUMBER) == 0)
SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffff)
{
    simt_warp(SIMT_NO_GROUP, SIMT_SYNCWARP, mask, 0, 0, 32, 1);
}
SIMT_INLINE unsigned __activemask() { return simt_active_mask(); }
/* The section tells the backend which fences the program contains (run/atomic.c). */
#define SIMT_MARKED_FENCE(device)                                                                  \
    __asm__ volatile(".pushsection simt_fences,\"a\"\n\t.byte " #device "\n\t.popsection");        \
    simt_fence(device)
SIMT_INLINE void __threadfence() { SIMT_MARKED_FENCE(1); }
SIMT_INLINE void __threadfence_block() { SIMT_MARKED_FENCE(0); }
SIMT_INLINE void __threadfence_system() { SIMT_MARKED_FENCE(1); }
SIMT_INLINE void __nanosleep(unsigned) { simt_pause(); }
SIMT_INLINE void __trap() { simt_trap(); }

/* ---- shuffles, votes, matches and reductions of a warp ---- */
/* CUDA has them for numbers of 4 and 8 bytes, so that smaller integers become ints. */
#define SIMT_SHUFFLE(name, lane_type, op)                                                          \
    template <class T>                                                                             \
    SIMT_VALUE(simt::promoted<T>, name, (unsigned mask, T value, lane_type lane, int width = 32),  \
               simt::from_bits<T>(simt_warp(SIMT_NO_GROUP, op, mask, simt::number(value),          \
                                            (int)lane, width, sizeof value > 4 ? 2 : 1)))
SIMT_SHUFFLE(__shfl_sync, int, SIMT_SHFL_IDX)
SIMT_SHUFFLE(__shfl_up_sync, unsigned, SIMT_SHFL_UP)
SIMT_SHUFFLE(__shfl_down_sync, unsigned, SIMT_SHFL_DOWN)
SIMT_SHUFFLE(__shfl_xor_sync, int, SIMT_SHFL_XOR)
SIMT_VALUE(unsigned, __ballot_sync, (unsigned mask, int predicate),
           (unsigned)simt_warp(SIMT_NO_GROUP, SIMT_BALLOT, mask, predicate != 0, 0, 32, 1))
SIMT_VALUE(int, __any_sync, (unsigned mask, int predicate),
           simt_warp(SIMT_NO_GROUP, SIMT_ANY, mask, predicate != 0, 0, 32, 1) != 0)
SIMT_VALUE(int, __all_sync, (unsigned mask, int predicate),
           simt_warp(SIMT_NO_GROUP, SIMT_ALL, mask, predicate == 0, 0, 32, 1) == 0)
template <class T>
SIMT_VALUE(unsigned, __match_any_sync, (unsigned mask, T value),
           simt_warp(SIMT_NO_GROUP, SIMT_MATCH_ANY, mask, simt::number(value), 0, 32, 1))
template <class T>
SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int *all)
{
    uint64_t same = simt_warp(SIMT_NO_GROUP, SIMT_MATCH_ALL, mask, simt::number(value), 0, 32, 1);
    *all = same != 0;
    return (unsigned)same;
}

#define SIMT_REDUCE(name, type, op)                                                                \
    SIMT_VALUE(type, name, (unsigned mask, type value),                                            \
               (type)simt_warp(SIMT_NO_GROUP, op, mask, (uint32_t)value, 0, 32, 1))
SIMT_REDUCE(__reduce_add_sync, int, SIMT_ADD)
SIMT_REDUCE(__reduce_add_sync, unsigned, SIMT_ADD)
SIMT_REDUCE(__reduce_min_sync, int, SIMT_MIN_SIGNED)
SIMT_REDUCE(__reduce_min_sync, unsigned, SIMT_MIN_UNSIGNED)
SIMT_REDUCE(__reduce_max_sync, int, SIMT_MAX_SIGNED)
SIMT_REDUCE(__reduce_max_sync, unsigned, SIMT_MAX_UNSIGNED)
SIMT_REDUCE(__reduce_and_sync, unsigned, SIMT_AND)
SIMT_REDUCE(__reduce_or_sync, unsigned, SIMT_OR)
SIMT_REDUCE(__reduce_xor_sync, unsigned, SIMT_XOR)

/* ---- atomics. With one device, the scope of the system is the device's ---- */
#define SIMT_SCOPES(type, name, parameters, arguments, ...)                                        \
    SIMT_VALUE(type, name, parameters, __VA_ARGS__)                                                \
    SIMT_VALUE(type, name##_system, parameters, name arguments)                                    \
    SIMT_VALUE(type, name##_block, parameters, simt_next(SIMT_OF_BLOCK), name arguments)
#define SIMT_ATOMIC(name, type, op)                                                                \
    SIMT_SCOPES(type, name, (type * p, type v), (p, v),                                            \
                simt::from_bits<type>(                                                             \
                    simt_atomic(op, p, sizeof *p, 0, simt::to_bits(v), __builtin_constant_p(v))))
#define SIMT_ATOMICS(name, signed_op, op)                                                          \
    SIMT_ATOMIC(name, int, signed_op)                                                              \
    SIMT_ATOMIC(name, unsigned, op)                                                                \
    SIMT_ATOMIC(name, unsigned long long, op)
#define SIMT_ATOMICS_OF_ALL(name, signed_op, op)                                                   \
    SIMT_ATOMICS(name, signed_op, op)                                                              \
    SIMT_ATOMIC(name, long long, signed_op)

SIMT_ATOMICS(atomicAdd, SIMT_ATOMIC_ADD, SIMT_ATOMIC_ADD)
SIMT_ATOMIC(atomicAdd, float, SIMT_ATOMIC_ADD_FLOAT)
SIMT_ATOMIC(atomicAdd, double, SIMT_ATOMIC_ADD_FLOAT)
/* Since Hopper; one number after the other, as on a GPU */
SIMT_SCOPES(float2, atomicAdd, (float2 * p, float2 v), (p, v),
            float2{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)})
SIMT_SCOPES(float4, atomicAdd, (float4 * p, float4 v), (p, v),
            float4{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z),
                   atomicAdd(&p->w, v.w)})
SIMT_ATOMICS_OF_ALL(atomicMin, SIMT_ATOMIC_MIN_SIGNED, SIMT_ATOMIC_MIN)
SIMT_ATOMICS_OF_ALL(atomicMax, SIMT_ATOMIC_MAX_SIGNED, SIMT_ATOMIC_MAX)
SIMT_ATOMICS_OF_ALL(atomicAnd, SIMT_ATOMIC_AND, SIMT_ATOMIC_AND)
SIMT_ATOMICS_OF_ALL(atomicOr, SIMT_ATOMIC_OR, SIMT_ATOMIC_OR)
SIMT_ATOMICS_OF_ALL(atomicXor, SIMT_ATOMIC_XOR, SIMT_ATOMIC_XOR)
SIMT_ATOMICS(atomicExch, SIMT_ATOMIC_EXCH, SIMT_ATOMIC_EXCH)
SIMT_ATOMIC(atomicExch, float, SIMT_ATOMIC_EXCH)
SIMT_ATOMIC(atomicInc, unsigned, SIMT_ATOMIC_INC)
SIMT_ATOMIC(atomicDec, unsigned, SIMT_ATOMIC_DEC)
SIMT_SCOPES(int, atomicSub, (int *p, int v), (p, v), atomicAdd(p, (int)(0u - (unsigned)v)))
SIMT_SCOPES(unsigned, atomicSub, (unsigned *p, unsigned v), (p, v), atomicAdd(p, 0u - v))
#define SIMT_CAS(type)                                                                             \
    SIMT_SCOPES(                                                                                   \
        type, atomicCAS, (type * p, type expected, type v), (p, expected, v),                      \
        simt::from_bits<type>(simt_atomic(SIMT_ATOMIC_CAS, p, sizeof *p, simt::to_bits(expected),  \
                                          simt::to_bits(v), false)))
SIMT_CAS(int)
SIMT_CAS(unsigned)
SIMT_CAS(unsigned short)
SIMT_CAS(unsigned long long)

namespace std {
using ::simt_printf;
}

/* ---- loads and stores with a hint for caches, of which there are none ---- */
#define SIMT_LOAD(name)                                                                            \
    template <class T> SIMT_INLINE T name(const T *p) { return *p; }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcv)
SIMT_LOAD(__ldlu)
#define SIMT_STORE(name)                                                                           \
    template <class T> SIMT_INLINE void name(T *p, T v) { *p = v; }
SIMT_STORE(__stcs)
SIMT_STORE(__stcg)
SIMT_STORE(__stwb)
SIMT_STORE(__stwt)

/* This computer's clock. It only shows that time passes. */
SIMT_INLINE long long clock64() { return (long long)clock(); }

#include "simt_math.h"

#endif
