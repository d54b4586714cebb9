/* The compiler's other calls: the host's atomics of the C++ library; wrong indices and conversions;
 * functions that return no value. */
#include "run/end.h"
#include "run/block.h"
#include "watch/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each file that has hooks calls this when the program starts. */
void __tsan_init(void)
{
    observer_sees = true;
}

/* ---- atomics of the C++ library: std::atomic, shared_ptr, guards of static variables ---- */

/* The thread sanitizer's hooks replace these operations, so they must do them. All memory orders
 * count as the strongest. Kernels have other atomics. */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* the order */
#define STRONGEST __ATOMIC_SEQ_CST

#define ATOMIC(result, name, parameters, store, action)                                            \
    result __tsan_atomic##name parameters                                                          \
    {                                                                                              \
        if (!simt_current_lane)                                                                    \
            hooks_host((uintptr_t)p, sizeof *p, store, true, __builtin_return_address(0));         \
        return action;                                                                             \
    }

/* Operations that read the old value and write a new one. */
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

/* ---- indices, conversions ---- */

/* g++'s option -fsanitize=bounds-strict compares each index with the type of its array, row by row,
 * and calls our functions below. -fsanitize=float-cast-overflow does so for conversions without a
 * cast that do not fit, whose result differs from a GPU's. One past the end may be named, as in
 * &a[n]. An array of one element or none may be the begin of a longer one, as at the end of a
 * structure, and is not checked. */

/* Source: libubsan (ubsan_value.h, ubsan_handlers.h). */
struct type {
    uint16_t kind;
    uint16_t info; /* of an integer: signed + 2 * log2(bits) */
    char name[];   /* within apostrophes */
};

struct place {
    const char *file;
    uint32_t line, column;
};

struct of_two_types {
    struct place place;
    const struct type *first, *second;
};

static long long value_of(const struct type *type, uint64_t bits)
{
    int above = 64 - (1 << (type->info >> 1));

    return type->info & 1 ? (int64_t)(bits << above) >> above : (long long)bits;
}

void __ubsan_handle_out_of_bounds(const struct of_two_types *what, uint64_t index)
{
    const char *name = what->first->name + 1, *end = strchr(name, '\0') - 1, *sizes = end;

    while (strchr("[]0123456789", sizes[-1])) /* int [4][8] */
        sizes--;
    unsigned long long elements = strtoull(sizes + 1, NULL, 10);
    const void *pc = __builtin_return_address(0);

    if (simt_current_lane && !stray_is_shadow() && elements > 1)
        observer_complain(COMPLAINT(ARRAY_BOUNDS, simt_current_lane, pc),
                          "The index is %lld; %.*s has 0 to %llu.", value_of(what->second, index),
                          (int)(end - name), name, elements - 1);
}

void __ubsan_handle_float_cast_overflow(const struct of_two_types *what, uint64_t bits)
{
    const void *pc = __builtin_return_address(0);
    float single;
    double v;

    memcpy(&single, &bits, sizeof single);
    memcpy(&v, &bits, sizeof v);
    if (simt_current_lane)
        observer_complain(COMPLAINT(CONVERSION, simt_current_lane, pc), "%g becomes %s.",
                          what->first->info == 32 ? single : v, what->second->name);
}

/* ---- functions that end without returning a value ---- */

/* place: of the function's name. The program ends also in host code, since g++ makes no code behind
 * the call. */
void __ubsan_handle_missing_return(const struct place *place)
{
    struct lane *lane = simt_current_lane;
    const void *pc = __builtin_return_address(0);

    if (lane)
        observer_fatal(FATAL_OF(RETURN, lane, pc, .file = place->file, .line = (int)place->line));
    observer_complain(COMPLAINT(RETURN, NULL, pc), "A function of the host: that at %s:%d.",
                      place->file, (int)place->line);
    if (!simt_observer.complaint)
        fprintf(stderr, "simt: %s:%d: a function returns no value\n", place->file,
                (int)place->line);
    exit(EXIT_BUG);
}
