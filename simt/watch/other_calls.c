/* The compiler's other calls: accesses of structures; the host's atomics of the C++ library; wrong
 * indices and conversions; functions that return no value. */
#include "run/block.h"
#include "run/end.h"
#include "watch/hooks.h"
#include "watch/space.h"

#include <stdlib.h>
#include <string.h>

/* Each file that has hooks calls this when the program starts. */
void __tsan_init(void)
{
    observer_sees = true;
}

/* ---- structures, and memcpy and the like: by the pieces in which nvcc's code copies ---- */

/* g++'s hooks tell the size of a copy, and not the type: so the program has a record of each of its
 * structures (compile/calls.c). */
struct layout {
    unsigned size, alignment;
};
extern const struct layout __start_simt_layouts[] __attribute__((weak));
extern const struct layout __stop_simt_layouts[] __attribute__((weak));

enum { PIECE_BYTES = 4, MOST_PIECE_BYTES = 16 };

/* The largest alignment up to `most` of the program's types of this size; 0: there are none. */
static unsigned alignment_of(size_t size, unsigned most)
{
    unsigned largest = 0;

    for (const struct layout *l = __start_simt_layouts; l < __stop_simt_layouts; l++) {
        unsigned alignment = l->alignment < MOST_PIECE_BYTES ? l->alignment : MOST_PIECE_BYTES;
        if (l->size == size && alignment > largest && alignment <= most)
            largest = alignment;
    }
    return largest;
}

/* The bytes of each piece in which nvcc's code copies so many bytes from or to this address, of a
 * type whose alignment is `most` at most. Source: an H200, nvcc 13.0 and 13.5: pieces are as large
 * as the alignment; of __shared__ variables, which nvcc aligns itself, up to four times as large,
 * if that divides the size, but for single bytes. */
static unsigned piece_of(uintptr_t address, size_t size, unsigned most)
{
    unsigned piece = alignment_of(size, most);

    if (piece == 0)
        piece = PIECE_BYTES; /* a template's, or a memcpy */
    else if (piece > 1 && space_is_shared(address) && !space_is_dynamic(address))
        for (int i = 0; i < 2 && piece < MOST_PIECE_BYTES && size % (2 * piece) == 0; i++)
            piece *= 2;
    return address % piece == 0 ? piece : PIECE_BYTES;
}

/* Logs accesses of `piece` bytes, and of one byte where a piece is not aligned or not whole. */
static void log_range(uintptr_t address, size_t size, unsigned piece, bool store, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!lane) {
        hooks_host(address, size, store, false, pc);
        return;
    }
    if (lane->log.values)
        due_has_room(lane, store ? EVENT_STORE : EVENT_LOAD);
    if (store)
        due_settle(lane);
    lane->log.in_range = true;
    while (size > 0) {
        unsigned bytes = address % piece == 0 && size >= piece ? piece : 1;
        size -= bytes;
        unsigned which = size > 0 ? PIECE_MORE : PIECE_LAST;
        hooks_access(address, store ? EVENT_STORE : EVENT_LOAD, bytes,
                     store ? 0 : which << EXTRA_LANE_SHIFT, pc);
        address += bytes;
    }
    lane->log.in_range = false;
}

void pieces_range(const void *address, size_t size, bool store, const void *pc)
{
    log_range((uintptr_t)address, size, PIECE_BYTES, store, pc);
}

/* Structures of other than 1, 2, 4, 8 or 16 bytes, or aligned to less, and to less than 8. */
static void structure(void *p, size_t size, bool store, const void *pc)
{
    bool is_power = (size & (size - 1)) == 0 && size <= 16;
    unsigned most = is_power ? (unsigned)(size < 8 ? size : 8) / 2 : MOST_PIECE_BYTES;

    log_range((uintptr_t)p, size, piece_of((uintptr_t)p, size, most), store, pc);
}

/* 16 bytes: one access, unless all the program's structures of this size are aligned to 8. */
static void access_16(void *p, bool store, const void *pc)
{
    static unsigned alignment;

    if (alignment == 0)
        alignment = alignment_of(16, 16) == 8 ? 8 : 16;
    if (alignment == 8)
        log_range((uintptr_t)p, 16, piece_of((uintptr_t)p, 16, 8), store, pc);
    else
        hooks_access((uintptr_t)p, store ? EVENT_STORE : EVENT_LOAD, 16, 0, pc);
}

void __tsan_read16(void *p)
{
    access_16(p, false, __builtin_return_address(0));
}

void __tsan_write16(void *p)
{
    access_16(p, true, __builtin_return_address(0));
}
void __tsan_unaligned_read16(void *p) __attribute__((alias("__tsan_read16")));
void __tsan_unaligned_write16(void *p) __attribute__((alias("__tsan_write16")));

void __tsan_read_range(void *p, size_t size)
{
    structure(p, size, false, __builtin_return_address(0));
}

void __tsan_write_range(void *p, size_t size)
{
    structure(p, size, true, __builtin_return_address(0));
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
