/* Atomics. With one device, the scope of the system is the device's. cuda_runtime.h, whose macros
 * this file needs, includes it. */
#pragma once

#define SIMT_SCOPES(type, name, parameters, arguments, ...)                                        \
    SIMT_VALUE(type, name, parameters, __VA_ARGS__)                                                \
    SIMT_VALUE(type, name##_system, parameters, name arguments)                                    \
    SIMT_VALUE(type, name##_block, parameters, simt_block_scope(), name arguments)
#define SIMT_ATOMIC(name, type, op)                                                                \
    SIMT_SCOPES(type, name, (type * p, type v), (p, v),                                            \
                simt::from_bits<type>(                                                             \
                    simt_atomic(op, p, sizeof *p, 0, simt::to_bits(v), __builtin_constant_p(v))))
#define SIMT_ATOMICS(name, signed_op, op)                                                          \
    SIMT_ATOMIC(name, int, signed_op)                                                              \
    SIMT_ATOMIC(name, unsigned, op)                                                                \
    SIMT_ATOMIC(name, unsigned long long, op)

SIMT_ATOMICS(atomicAdd, SIMT_ATOMIC_ADD, SIMT_ATOMIC_ADD)
SIMT_ATOMIC(atomicAdd, float, SIMT_ATOMIC_ADD_FLOAT)
SIMT_ATOMIC(atomicAdd, double, SIMT_ATOMIC_ADD_FLOAT)
/* Since Hopper; one number after the other, as on a GPU */
SIMT_SCOPES(float2, atomicAdd, (float2 * p, float2 v), (p, v),
            float2{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)})
SIMT_SCOPES(float4, atomicAdd, (float4 * p, float4 v), (p, v),
            float4{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z),
                   atomicAdd(&p->w, v.w)})
SIMT_ATOMICS(atomicMin, SIMT_ATOMIC_MIN_SIGNED, SIMT_ATOMIC_MIN)
SIMT_ATOMIC(atomicMin, long long, SIMT_ATOMIC_MIN_SIGNED)
SIMT_ATOMICS(atomicMax, SIMT_ATOMIC_MAX_SIGNED, SIMT_ATOMIC_MAX)
SIMT_ATOMIC(atomicMax, long long, SIMT_ATOMIC_MAX_SIGNED)
SIMT_ATOMICS(atomicAnd, SIMT_ATOMIC_AND, SIMT_ATOMIC_AND)
SIMT_ATOMIC(atomicAnd, long long, SIMT_ATOMIC_AND)
SIMT_ATOMICS(atomicOr, SIMT_ATOMIC_OR, SIMT_ATOMIC_OR)
SIMT_ATOMIC(atomicOr, long long, SIMT_ATOMIC_OR)
SIMT_ATOMICS(atomicXor, SIMT_ATOMIC_XOR, SIMT_ATOMIC_XOR)
SIMT_ATOMIC(atomicXor, long long, SIMT_ATOMIC_XOR)
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
