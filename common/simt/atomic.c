/* Atomic operations on device and shared memory. Blocks run on several OS threads, so they are the
 * processor's own atomics; what it lacks (float, min, inc) is a loop of compare-and-swap. */
#include "simt_device.h"

#include <string.h>

#define SIMPLE(name, type, builtin)                                                                \
    type simt_atomic_##name(type *p, type v) { return builtin(p, v, __ATOMIC_SEQ_CST); }

SIMPLE(add_int, int, __atomic_fetch_add)
SIMPLE(add_uint, unsigned, __atomic_fetch_add)
SIMPLE(add_ull, unsigned long long, __atomic_fetch_add)
SIMPLE(and_uint, unsigned, __atomic_fetch_and)
SIMPLE(and_ull, unsigned long long, __atomic_fetch_and)
SIMPLE(or_uint, unsigned, __atomic_fetch_or)
SIMPLE(or_ull, unsigned long long, __atomic_fetch_or)
SIMPLE(xor_uint, unsigned, __atomic_fetch_xor)
SIMPLE(xor_ull, unsigned long long, __atomic_fetch_xor)
SIMPLE(exch_uint, unsigned, __atomic_exchange_n)
SIMPLE(exch_ull, unsigned long long, __atomic_exchange_n)

#define CAS(name, type)                                                                            \
    type simt_atomic_cas_##name(type *p, type expected, type v)                                    \
    {                                                                                              \
        __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
        return expected;                                                                           \
    }

CAS(ushort, unsigned short)
CAS(uint, unsigned)
CAS(ull, unsigned long long)

/* new_value may use old and v. bits is the unsigned type of the same size: compare-and-swap must
 * compare bits, or a NaN would never equal itself. */
#define LOOP(name, type, bits, new_value)                                                          \
    type simt_atomic_##name(type *p, type v)                                                       \
    {                                                                                              \
        bits before = __atomic_load_n((bits *)p, __ATOMIC_SEQ_CST), after;                         \
        type old, next;                                                                            \
        do {                                                                                       \
            memcpy(&old, &before, sizeof old);                                                     \
            next = (new_value);                                                                    \
            memcpy(&after, &next, sizeof after);                                                   \
        } while (!__atomic_compare_exchange_n((bits *)p, &before, after, 0, __ATOMIC_SEQ_CST,      \
                                              __ATOMIC_SEQ_CST));                                  \
        return old;                                                                                \
    }

LOOP(add_float, float, uint32_t, old + v)
LOOP(add_double, double, uint64_t, old + v)
LOOP(min_int, int, uint32_t, v < old ? v : old)
LOOP(min_uint, unsigned, uint32_t, v < old ? v : old)
LOOP(min_ll, long long, uint64_t, v < old ? v : old)
LOOP(min_ull, unsigned long long, uint64_t, v < old ? v : old)
LOOP(max_int, int, uint32_t, v > old ? v : old)
LOOP(max_uint, unsigned, uint32_t, v > old ? v : old)
LOOP(max_ll, long long, uint64_t, v > old ? v : old)
LOOP(max_ull, unsigned long long, uint64_t, v > old ? v : old)
LOOP(inc_uint, unsigned, uint32_t, old >= v ? 0 : old + 1)
LOOP(dec_uint, unsigned, uint32_t, old == 0 || old > v ? v : old - 1)

void simt_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
