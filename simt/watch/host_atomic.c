/* Atomics of the C++ library in files that simtcc compiles: std::atomic, shared_ptr, guards of
 * local static variables. The thread sanitizer's hooks do not surround them but replace them, so
 * they are defined here, as what they stand for. Memory orders are taken as the strongest. */
#include "watch/hooks.h"

#define TELL(p, store) hooks_host_atomic(p, sizeof *(p), store, __builtin_return_address(0))

#define RMW(bits, type, name)                                                                      \
    type __tsan_atomic##bits##_##name(type *p, type v, int order);                                 \
    type __tsan_atomic##bits##_##name(type *p, type v, int order)                                  \
    {                                                                                              \
        (void)order;                                                                               \
        TELL(p, false);                                                                            \
        return __atomic_##name(p, v, __ATOMIC_SEQ_CST);                                            \
    }

#define COMPARE_EXCHANGE(bits, type, name)                                                         \
    int __tsan_atomic##bits##_##name(type *p, type *expected, type v, int good, int bad);          \
    int __tsan_atomic##bits##_##name(type *p, type *expected, type v, int good, int bad)           \
    {                                                                                              \
        (void)good, (void)bad;                                                                     \
        TELL(p, false);                                                                            \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST,                \
                                           __ATOMIC_SEQ_CST);                                      \
    }

#define __atomic_exchange(p, v, order) __atomic_exchange_n(p, v, order)

#define ALL(bits, type)                                                                            \
    type __tsan_atomic##bits##_load(const type *p, int order);                                     \
    type __tsan_atomic##bits##_load(const type *p, int order)                                      \
    {                                                                                              \
        (void)order;                                                                               \
        TELL(p, false);                                                                            \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    void __tsan_atomic##bits##_store(type *p, type v, int order);                                  \
    void __tsan_atomic##bits##_store(type *p, type v, int order)                                   \
    {                                                                                              \
        (void)order;                                                                               \
        TELL(p, true);                                                                             \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                              \
    RMW(bits, type, exchange)                                                                      \
    RMW(bits, type, fetch_add)                                                                     \
    RMW(bits, type, fetch_sub)                                                                     \
    RMW(bits, type, fetch_and)                                                                     \
    RMW(bits, type, fetch_or)                                                                      \
    RMW(bits, type, fetch_xor)                                                                     \
    COMPARE_EXCHANGE(bits, type, compare_exchange_strong)                                          \
    COMPARE_EXCHANGE(bits, type, compare_exchange_weak)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
