/* Complex numbers in C's way: float2 and double2, and what one does with them.
 * Source: CUDA's own header. */
#ifndef SIMT_CU_COMPLEX_H
#define SIMT_CU_COMPLEX_H

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* Of one type; f: what its names end with. */
#define SIMT_COMPLEX(complex, type, make, f)                                                       \
    SIMT_INLINE complex make(type x, type y) { return {x, y}; }                                    \
    SIMT_INLINE type cuCreal##f(complex a) { return a.x; }                                         \
    SIMT_INLINE type cuCimag##f(complex a) { return a.y; }                                         \
    SIMT_INLINE complex cuConj##f(complex a) { return {a.x, -a.y}; }                               \
    SIMT_INLINE complex cuCadd##f(complex a, complex b) { return {a.x + b.x, a.y + b.y}; }         \
    SIMT_INLINE complex cuCsub##f(complex a, complex b) { return {a.x - b.x, a.y - b.y}; }         \
    SIMT_INLINE complex cuCmul##f(complex a, complex b)                                            \
    {                                                                                              \
        return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                     \
    }                                                                                              \
    SIMT_INLINE complex cuCdiv##f(complex a, complex b)                                            \
    {                                                                                              \
        type scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                            \
        complex p = {a.x * scale, a.y * scale}, q = {b.x * scale, b.y * scale};                    \
        type square = q.x * q.x + q.y * q.y;                                                       \
        return {(p.x * q.x + p.y * q.y) / square, (p.y * q.x - p.x * q.y) / square};               \
    }                                                                                              \
    SIMT_INLINE complex cuCfma##f(complex a, complex b, complex c)                                 \
    {                                                                                              \
        return cuCadd##f(cuCmul##f(a, b), c);                                                      \
    }                                                                                              \
    SIMT_INLINE type cuCabs##f(complex a) { return hypot##f(a.x, a.y); }

SIMT_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
SIMT_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )
SIMT_INLINE cuComplex make_cuComplex(float x, float y) { return {x, y}; }
SIMT_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
SIMT_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a)
{
    return {(float)a.x, (float)a.y};
}

#endif
