/* CUDA's built-in vector types and dim3, with CUDA's sizes and alignments, for C and C++.
 * Source: CUDA C++ Programming Guide, "Built-in Vector Types". */
#ifndef VECTOR_TYPES_H
#define VECTOR_TYPES_H

/* SIMT_VECTORS(int, int, 4) defines int1 … int4. All but the 3-vectors are aligned to their size,
 * 16 bytes at most, so that a GPU moves them in one access. */
#define SIMT_VECTORS(name, type, size)                                                             \
    typedef struct {                                                                               \
        type x;                                                                                    \
    } name##1;                                                                                     \
    typedef struct __attribute__((aligned(2 * (size)))) {                                          \
        type x, y;                                                                                 \
    } name##2;                                                                                     \
    typedef struct {                                                                               \
        type x, y, z;                                                                              \
    } name##3;                                                                                     \
    typedef struct __attribute__((aligned((size) < 4 ? 4 * (size) : 16))) {                        \
        type x, y, z, w;                                                                           \
    } name##4

/* of(name, type, size) for each of the types. */
#define SIMT_EACH_VECTOR(of)                                                                       \
    of(char, signed char, 1);                                                                      \
    of(uchar, unsigned char, 1);                                                                   \
    of(short, short, 2);                                                                           \
    of(ushort, unsigned short, 2);                                                                 \
    of(int, int, 4);                                                                               \
    of(uint, unsigned, 4);                                                                         \
    of(long, long, 8);                                                                             \
    of(ulong, unsigned long, 8);                                                                   \
    of(longlong, long long, 8);                                                                    \
    of(ulonglong, unsigned long long, 8);                                                          \
    of(float, float, 4);                                                                           \
    of(double, double, 8)

SIMT_EACH_VECTOR(SIMT_VECTORS);

/* Since CUDA 13: four numbers of 8 bytes, aligned to 16 and to 32. */
#define SIMT_LARGE_VECTOR(name, type, bytes)                                                       \
    typedef struct __attribute__((aligned(bytes))) {                                               \
        type x, y, z, w;                                                                           \
    } name##4_##bytes##a;
#define SIMT_EACH_LARGE_VECTOR(of, bytes)                                                          \
    of(long, long, bytes) of(ulong, unsigned long, bytes) of(longlong, long long, bytes)           \
        of(ulonglong, unsigned long long, bytes) of(double, double, bytes)

SIMT_EACH_LARGE_VECTOR(SIMT_LARGE_VECTOR, 16)
SIMT_EACH_LARGE_VECTOR(SIMT_LARGE_VECTOR, 32)

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
