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
    } name##4;

SIMT_VECTORS(char, signed char, 1)
SIMT_VECTORS(uchar, unsigned char, 1)
SIMT_VECTORS(short, short, 2)
SIMT_VECTORS(ushort, unsigned short, 2)
SIMT_VECTORS(int, int, 4)
SIMT_VECTORS(uint, unsigned, 4)
SIMT_VECTORS(long, long, 8)
SIMT_VECTORS(ulong, unsigned long, 8)
SIMT_VECTORS(longlong, long long, 8)
SIMT_VECTORS(ulonglong, unsigned long long, 8)
SIMT_VECTORS(float, float, 4)
SIMT_VECTORS(double, double, 8)

typedef struct dim3 {
    unsigned x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
} dim3;

#endif
