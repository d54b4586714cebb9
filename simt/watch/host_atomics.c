/* Atomics of the C++ library in files that simtcc compiles: std::atomic, shared_ptr, guards of
 * local static variables. The thread sanitizer's hooks do not surround them but replace them, so
 * they are defined here, as what they stand for. Memory orders are taken as the strongest. */
#include "watch/hooks.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the order */
#define STRONGEST __ATOMIC_SEQ_CST

#define ATOMIC(result, name, parameters, store, action)                                            \
    result __tsan_atomic##name parameters                                                          \
    {                                                                                              \
        hooks_host_atomic(p, sizeof *p, store, __builtin_return_address(0));                       \
        return action;                                                                             \
    }

/* They read what was there and write another value. */
#define CHANGE(type, name, builtin)                                                                \
    ATOMIC(type, name, (type * p, type v, int order), false, builtin(p, v, STRONGEST))
#define COMPARE(type, name)                                                                        \
    ATOMIC(int, name, (type * p, type * expected, type v, int good, int bad), false,               \
           __atomic_compare_exchange_n(p, expected, v, false, STRONGEST, STRONGEST))

#define ALL(bits, type)                                                                            \
    ATOMIC(type, bits##_load, (const type *p, int order), false, __atomic_load_n(p, STRONGEST))    \
    ATOMIC(void, bits##_store, (type * p, type v, int order), true,                                \
           __atomic_store_n(p, v, STRONGEST))                                                      \
    CHANGE(type, bits##_exchange, __atomic_exchange_n)                                             \
    CHANGE(type, bits##_fetch_add, __atomic_fetch_add)                                             \
    CHANGE(type, bits##_fetch_sub, __atomic_fetch_sub)                                             \
    CHANGE(type, bits##_fetch_and, __atomic_fetch_and)                                             \
    CHANGE(type, bits##_fetch_or, __atomic_fetch_or)                                               \
    CHANGE(type, bits##_fetch_xor, __atomic_fetch_xor)                                             \
    COMPARE(type, bits##_compare_exchange_strong)                                                  \
    COMPARE(type, bits##_compare_exchange_weak)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(STRONGEST);
}

void __tsan_atomic_signal_fence(int order)
{
    __atomic_signal_fence(STRONGEST);
}
