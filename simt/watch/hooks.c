/* The hooks themselves. Small and fast: they run for every access of every thread. */
#include "watch/hooks.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/source.h"
#include "watch/space.h"
#include "watch/trace.h"

struct listener hooks_listener;

/* ---- accesses and operations ---- */

/* The key of what is done at this pc. */
static inline uint64_t key_of(const struct log *log, uint32_t pc)
{
    return log->path | pc * log->scale; /* in fewer steps than a shift */
}

/* The log has room for it. */
static inline void append(struct log *log, uint64_t key, uint64_t what)
{
    log->next = event_write(log->next, key, what | log->what);
}

/* The lane is about to make an access, its first one since append_settle if it is a store. False:
 * it is not to be logged. */
static inline bool tell_access(struct lane *lane, uintptr_t address, unsigned kind, unsigned size,
                               unsigned extra, const void *pc)
{
    struct lane_access access = {address, kind, size, extra, code_offset(pc)};
    enum access_verdict verdict =
        hooks_listener.access ? hooks_listener.access(lane, &access) : ACCESS_FINE;

    if (kind == EVENT_STORE && (verdict == ACCESS_SETTLES || lane->strayed || lane->log.values))
        append_expect(&lane->log, address, size);
    return verdict != ACCESS_REFUSED;
}

/* False: it is not logged. */
static inline bool write_access(struct lane *lane, uintptr_t address, unsigned kind, unsigned size,
                                unsigned extra, const void *pc)
{
    struct log *log = &lane->log;
    uint64_t key = log->place = key_of(log, code_offset(pc));

    log->changes += kind == EVENT_STORE;
    if (kind == EVENT_STORE && log->stored_size && !log->in_range)
        append_settle(lane);
    if (!tell_access(lane, address, kind, size, extra, pc))
        return false;
    append(log, key, event_what(address, kind, 0, size, extra));
    return true;
}

/* Of other memory nothing is told. */
static inline void tell_host(uintptr_t address, unsigned size, bool store, bool polls,
                             const void *pc)
{
    const void *at = (const void *)address;

    if ((memory_is_device(at) || symbols_near(at)) && hooks_listener.host_access)
        hooks_listener.host_access(address, size, store, polls, pc);
}

__attribute__((noinline)) static void log_rare_access(uintptr_t address, unsigned kind,
                                                      unsigned size, unsigned extra, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!append_has_room(lane, kind) || !write_access(lane, address, kind, size, extra, pc))
        return;
    if (lane->log.values)
        values_add(&lane->log);
    if (extra & EXTRA_VOLATILE)
        append_volatile(lane, address, kind);
}

/* The most frequent lines of all; what is rarer is a call away. */
static inline void log_access(uintptr_t address, unsigned kind, unsigned size, unsigned extra,
                              const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (__builtin_expect(!lane, 0)) {
        tell_host(address, size, kind == EVENT_STORE, extra & EXTRA_VOLATILE, pc);
        return;
    }
    struct log *log = &lane->log;
    if (address - log->stack < FIBER_STACK_BYTES)
        return;
    if (!log->end)
        return;
    if (__builtin_expect(log->next < log->end, 1) && !(extra & EXTRA_VOLATILE))
        write_access(lane, address, kind, size, extra, pc);
    else
        log_rare_access(address, kind, size, extra, pc);
}

__attribute__((noinline)) static void log_operation(struct lane *lane, enum event_kind kind,
                                                    uint64_t address, unsigned size, unsigned extra,
                                                    const void *pc)
{
    struct log *log = &lane->log;
    bool orders = kind == EVENT_ORDER || kind == EVENT_FENCE;

    append_settle(lane);
    if (log->end == LOG_STOP)
        append_end_volatile(lane);
    if (hooks_listener.synchronises && (orders || kind == EVENT_SYNCWARP))
        hooks_listener.synchronises(lane, kind, address);
    if (orders || !append_has_room(lane, kind))
        return;
    uint64_t key = log->place = key_of(log, code_offset(pc));
    if (kind == EVENT_ATOMIC && !tell_access(lane, address, kind, size, extra, pc))
        return;
    append(log, kind >= EVENT_SYNCTHREADS ? key | KEY_WAITS : key,
           event_what(address, kind, 0, size, extra));
}

void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc)
{
    if (lane->log.end)
        log_operation(lane, kind, address, size, extra, pc);
}

/* ---- basic blocks and calls ---- */

/* A block begins at pc, and the one before ends behind the lane's last place. */
static void log_branch(struct lane *lane, uint32_t pc)
{
    struct log *log = &lane->log;
    uint64_t before = log->place;

    if (!log->end || log->depth >= LOG_LEVELS)
        return;

    log->place = key_of(log, pc);
    if (before == 0)
        return;
    if (log->place <= before && hooks_listener.jumps)
        hooks_listener.jumps(lane, before, pc);
    if (append_has_room(lane, EVENT_BRANCH)) /* the end bit of the field of the pc lies below it */
        append(log, before | log->scale / 2, event_what(pc, EVENT_BRANCH, 0, 0, 0));
}

/* Behind the last call of __tsan_func_exit. Without optimisation a block begins there, which is
 * still the called function's: it is none of the caller's, who may lie elsewhere. */
static const char *exited;
enum { BEHIND_EXIT = 8 };

void __sanitizer_cov_trace_pc(void)
{
    struct lane *lane = simt_current_lane;
    const char *pc = __builtin_return_address(0);

    if (__builtin_expect(lane != NULL, 1) && (size_t)(pc - exited) > BEHIND_EXIT)
        log_branch(lane, code_offset(pc));
}

/* Where the place of a caller at this depth is kept. */
static uint64_t *level_of(struct log *log, unsigned depth)
{
    return &log->level[depth - 1 < LOG_LEVELS ? depth - 1 : LOG_LEVELS];
}

void __tsan_func_entry(void *call_site)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.begin)
        return;
    struct log *log = &lane->log;
    /* At depth 1 this is a call in the kernel, at 2 one in what it called; the kernel's own entry,
     * and calls further down, leave the path as it is. */
    if (log->depth == 1 || log->depth == 2)
        log->path = log->place = key_of(log, code_offset(call_site));
    *level_of(log, log->depth) = log->place;
    log_set_depth(log, log->depth + 1);
    log->place = 0;
}

void __tsan_func_exit(void)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.begin)
        return;
    struct log *log = &lane->log;
    if (log->end == LOG_STOP)
        append_end_volatile(lane);
    append_settle(lane); /* the lane may end here */
    log_set_depth(log, log->depth - 1);
    log->place = *level_of(log, log->depth);
    if (log->depth == 1)
        log->path = 0;
    else if (log->depth == 2)
        log->path = path_of_kernel(log->path);
    exited = __builtin_return_address(0);
}

/* ---- the hooks of accesses ---- */

/* Where a shared variable's type has a constructor, g++ has the first thread call it, and looks at
 * a byte that says whether it was called. A GPU calls none (and nvcc warns of one that does more
 * than nothing): so it was, before anybody looks. */
static inline bool is_constructed(char *p)
{
    return simt_current_lane && space_is_guard((uintptr_t)p) && (*p = 1);
}

#define HOOK(name, kind, size, extra)                                                              \
    void name(void *p)                                                                             \
    {                                                                                              \
        if (size == 1 && kind == EVENT_LOAD && !(extra) && is_constructed(p))                      \
            return;                                                                                \
        log_access((uintptr_t)p, kind, size, extra, __builtin_return_address(0));                  \
    }
#define HOOKS(size)                                                                                \
    HOOK(__tsan_read##size, EVENT_LOAD, size, 0)                                                   \
    HOOK(__tsan_write##size, EVENT_STORE, size, 0)                                                 \
    HOOK(__tsan_volatile_read##size, EVENT_LOAD, size, EXTRA_VOLATILE)                             \
    HOOK(__tsan_volatile_write##size, EVENT_STORE, size, EXTRA_VOLATILE)

#define SAME_AS(name, other) void name(void *p) __attribute__((alias(#other)));
#define ANY_ALIGNMENT(size)                                                                        \
    HOOKS(size)                                                                                    \
    SAME_AS(__tsan_unaligned_read##size, __tsan_read##size)                                        \
    SAME_AS(__tsan_unaligned_write##size, __tsan_write##size)

HOOKS(1)
ANY_ALIGNMENT(2)
ANY_ALIGNMENT(4)
ANY_ALIGNMENT(8)
ANY_ALIGNMENT(16)

/* Structures of other sizes go word by word, as a GPU moves those that are aligned to 4 bytes;
 * those that are not, byte by byte up to the first whole word. */
static void log_range(uintptr_t address, size_t size, unsigned kind, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!lane) {
        tell_host(address, (unsigned)(size > UINT32_MAX ? UINT32_MAX : size), kind == EVENT_STORE,
                  false, pc);
        return;
    }
    if (lane->log.values)
        append_has_room(lane, kind);
    if (kind == EVENT_STORE)
        append_settle(lane);
    lane->log.in_range = true;
    while (size > 0) {
        unsigned bytes = address % 4 == 0 && size >= 4 ? 4 : 1;
        size -= bytes;
        unsigned piece = size > 0 ? PIECE_MORE : PIECE_LAST;
        log_access(address, kind, bytes, kind == EVENT_LOAD ? piece << EXTRA_LANE_SHIFT : 0, pc);
        address += bytes;
    }
    lane->log.in_range = false;
}

/* Of memcpy and its like nobody knows how they are aligned. */
void hooks_range(const void *address, size_t size, bool store, const void *pc)
{
    log_range((uintptr_t)address, size, store ? EVENT_STORE : EVENT_LOAD, pc);
}

void __tsan_read_range(void *p, size_t size)
{
    log_range((uintptr_t)p, size, EVENT_LOAD, __builtin_return_address(0));
}

void __tsan_write_range(void *p, size_t size)
{
    log_range((uintptr_t)p, size, EVENT_STORE, __builtin_return_address(0));
}

/* In front of a constructor's, or destructor's, store of where its virtual functions are. */
void __tsan_vptr_update(void **p, void *value)
{
    (void)value;
    log_access((uintptr_t)p, EVENT_STORE, sizeof *p, 0, __builtin_return_address(0));
}

/* Called once per file at the program's start. */
void __tsan_init(void)
{
}

/* ---- atomics of the C++ library: std::atomic, shared_ptr, guards of local static variables ----
 */

/* The thread sanitizer's hooks do not surround them but replace them, so they are what they stand
 * for. Memory orders are taken as the strongest; kernels have other atomics. */
#pragma GCC diagnostic ignored "-Wunused-parameter" /* the order */
#define STRONGEST __ATOMIC_SEQ_CST

#define ATOMIC(result, name, parameters, store, action)                                            \
    result __tsan_atomic##name parameters                                                          \
    {                                                                                              \
        if (!simt_current_lane)                                                                    \
            tell_host((uintptr_t)p, sizeof *p, store, true, __builtin_return_address(0));          \
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
