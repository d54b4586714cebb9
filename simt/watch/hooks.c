/* The hooks themselves. Small and fast: they run for every access of every thread. */
#include "watch/hooks.h"
#include "run/atomic.h"
#include "run/memory.h"
#include "run/schedule.h"
#include "run/symbols.h"
#include "watch/append.h"
#include "watch/code.h"
#include "watch/space.h"
#include "watch/values.h"

#include <string.h>

static void ignore_host(uintptr_t address, unsigned size, bool store, bool polls, const void *pc)
{
    (void)address, (void)size, (void)store, (void)polls, (void)pc;
}

void (*hooks_host_access)(uintptr_t, unsigned, bool, bool, const void *) = ignore_host;

static bool ignore_lane(const struct lane *lane, enum event_kind kind, uint64_t what)
{
    (void)lane, (void)kind, (void)what;
    return false;
}

bool (*hooks_synchronises)(const struct lane *, enum event_kind, uint64_t) = ignore_lane;

/* Where the place of a caller at this depth is kept. */
static uint64_t *level_of(struct log *log, unsigned depth)
{
    return &log->level[depth - 1 < LOG_LEVELS ? depth - 1 : LOG_LEVELS];
}

void hooks_start(struct log *log, struct event *events, uintptr_t stack, struct values *values)
{
    *events = (struct event){0};
    log->begin = log->next = events + 1;
    log->stored_size = 0;
    log->in_range = false;
    log->end = values ? LOG_STOP : log->begin + LOG_ROOM;
    log->values = values;
    if (values)
        values->count = values->taken = values->known = 0,
        values->loaded = values->in_range = false;
    log->volatile_load = false;
    log->volatile_store = 0;
    log->stack = stack;
    log->path = 0;
    log->place = 0;
    log_set_depth(log, 0);
}

/* ---- what is told as it happens ---- */

static enum access_verdict ignore_access(const struct lane *lane, const struct lane_access *access)
{
    (void)lane, (void)access;
    return ACCESS_FINE;
}

enum access_verdict (*hooks_access)(const struct lane *,
                                    const struct lane_access *) = ignore_access;

static void ignore_jump(const struct lane *lane, uint64_t key, uint32_t to)
{
    (void)lane, (void)key, (void)to;
}

void (*hooks_jumps)(const struct lane *, uint64_t, uint32_t) = ignore_jump;

/* Somebody is to be told when this store has been made, and those behind it. */
static void expect_store(struct log *log, uintptr_t address, unsigned size)
{
    if (log->stored_size)
        return;
    log->stored = address;
    log->stored_size = (uint8_t)size;
}

/* The lane is about to make an access, its first one since append_settle if it is a store. False:
 * it is not to be logged. */
static inline bool tell_access(struct lane *lane, uintptr_t address, unsigned kind, unsigned size,
                               unsigned extra, const void *pc)
{
    if (hooks_access == ignore_access)
        return true;
    enum access_verdict verdict =
        hooks_access(lane, &(struct lane_access){address, kind, size, extra, code_offset(pc)});
    if (kind == EVENT_STORE && (verdict == ACCESS_SETTLES || lane->strayed))
        expect_store(&lane->log, address, size);
    return verdict != ACCESS_REFUSED;
}

/* ---- room for events ---- */

/* The lane's last access was volatile, and gets its place in the order. */
static void make_in_order(struct lane *lane, unsigned effect)
{
    if (hooks_synchronises(lane, EVENT_ORDER, effect))
        expect_store(&lane->log, log_last(&lane->log).address, log_last(&lane->log).size);
}

/* The lane's volatile access, of which the hook knew before it was made, has been made: others look
 * at what was stored; a load gets its place in the order. */
static void end_volatile(struct lane *lane)
{
    const void *word = (const void *)lane->log.volatile_store;

    lane->log.volatile_store = 0;
    if (word) {
        append_settle(lane);
        schedule_show(lane, word);
    }
    if (lane->log.volatile_load)
        make_in_order(lane, 0);
    lane->log.volatile_load = false;
}

/* A lane that is traced has its log merged earlier, in front of a store: so that what stands
 * between this and the store itself, as of a structure's copy, is merged behind it. */
enum { BEHIND_STORE = 64 };

/* The lane is about to do what an event of this kind tells, and `next` is not below `end`. Makes
 * room for an event; false: nobody looks. */
static bool make_room(struct lane *lane, unsigned kind)
{
    struct log *log = &lane->log;

    if (!log->begin) {
        log->end = NULL;
        schedule_rest(lane);
        return false;
    }
    end_volatile(lane);
    if (log->values)
        values_settle(log->values, kind);
    bool early = log->values && kind == EVENT_STORE && !log->values->in_range;
    log->end = log->values ? LOG_STOP : log->begin + LOG_ROOM;
    if (log->next >= log->begin + LOG_ROOM - (early ? BEHIND_STORE : 0))
        append_wait(lane);
    else if (lane->block->disturbed)
        schedule_rest(lane);
    return true;
}

static inline bool has_room(struct lane *lane, unsigned kind)
{
    return __builtin_expect(lane->log.next < lane->log.end, 1) || make_room(lane, kind);
}

/* ---- accesses and operations ---- */

/* False: it is not logged. */
static inline bool write_access(struct lane *lane, uintptr_t address, unsigned kind, unsigned size,
                                unsigned extra, const void *pc)
{
    struct log *log = &lane->log;
    uint64_t key = log->place = append_key(log, code_offset(pc));

    log->changes += kind == EVENT_STORE;
    if (kind == EVENT_STORE && log->stored_size && !log->in_range)
        append_settle(lane);
    if (!tell_access(lane, address, kind, size, extra, pc))
        return false;
    append_event(log, key, event_what(address, kind, 0, size, extra) | log->what);
    return true;
}

/* Where fences are used, others can rely on a volatile access, too. A store gets its place in the
 * order of operations before it is made. A load gets it when it has been made, in front of what the
 * lane does next: what it saw was written by then. */
static void order_volatile(struct lane *lane, uintptr_t address, unsigned kind)
{
    if (!atomic_program_has_fences())
        return;
    lane->log.end = LOG_STOP;
    lane->log.volatile_load = kind == EVENT_LOAD;
    if (kind == EVENT_STORE) {
        make_in_order(lane, 2);
        lane->log.volatile_store = address;
    }
}

/* Memory of which host_access wants to know. */
static inline bool is_shared(const void *address)
{
    return memory_is_watched(address) || symbols_near(address);
}

void hooks_host_atomic(const void *address, unsigned size, bool store, const void *pc)
{
    if (!simt_current_lane && is_shared(address))
        hooks_host_access((uintptr_t)address, size, store, true, pc);
}

__attribute__((noinline)) static void log_rare_access(uintptr_t address, unsigned kind,
                                                      unsigned size, unsigned extra, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!has_room(lane, kind) || !write_access(lane, address, kind, size, extra, pc))
        return;
    if (lane->log.values)
        values_add(lane->log.values, kind, address, size);
    if (extra & EXTRA_VOLATILE)
        order_volatile(lane, address, kind);
}

/* All but the last few lines of it are the most frequent ones of all: no call in them, so that no
 * register is to be saved. */
static inline void log_access(uintptr_t address, unsigned kind, unsigned size, unsigned extra,
                              const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (__builtin_expect(!lane, 0)) {
        if (is_shared((const void *)address))
            hooks_host_access(address, size, kind == EVENT_STORE, extra & EXTRA_VOLATILE, pc);
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

static inline void write_operation(struct lane *lane, enum event_kind kind, uint64_t address,
                                   unsigned size, unsigned extra, const void *pc)
{
    struct log *log = &lane->log;
    uint64_t key = log->place = append_key(log, code_offset(pc));

    if (kind == EVENT_ATOMIC && !tell_access(lane, address, kind, size, extra, pc))
        return;
    append_event(log, kind >= EVENT_SYNCTHREADS ? key | KEY_WAITS : key,
                 event_what(address, kind, 0, size, extra) | log->what);
}

__attribute__((noinline)) static void log_rare_operation(struct lane *lane, enum event_kind kind,
                                                         uint64_t address, unsigned size,
                                                         unsigned extra, const void *pc)
{
    if (has_room(lane, kind))
        write_operation(lane, kind, address, size, extra, pc);
}

void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc)
{
    if (!lane->log.end)
        return;
    append_settle(lane);
    end_volatile(lane);
    if (kind == EVENT_ORDER || kind == EVENT_FENCE || kind == EVENT_SYNCWARP)
        hooks_synchronises(lane, kind, address);
    if (kind == EVENT_ORDER || kind == EVENT_FENCE)
        return;
    if (__builtin_expect(lane->log.next < lane->log.end, 1) && kind != EVENT_ATOMIC)
        write_operation(lane, kind, address, size, extra, pc);
    else
        log_rare_operation(lane, kind, address, size, extra, pc);
}

/* ---- basic blocks and calls ---- */

/* The block behind the one whose last place was `before` begins at pc. */
static inline void write_branch(struct log *log, uint64_t before, uint32_t pc)
{
    /* the end bit of the field that holds the pc lies below it */
    append_event(log, before | log->scale / 2, event_what(pc, EVENT_BRANCH, 0, 0, 0) | log->what);
}

__attribute__((noinline)) static void log_rare_branch(struct lane *lane, uint64_t before,
                                                      uint32_t pc)
{
    if (make_room(lane, EVENT_BRANCH))
        write_branch(&lane->log, before, pc);
}

static void log_branch(struct lane *lane, uint32_t pc)
{
    struct log *log = &lane->log;
    uint64_t before = log->place;

    if (!log->end || log->depth >= LOG_LEVELS)
        return;

    log->place = append_key(log, pc);
    if (before == 0)
        return;
    if (log->place <= before)
        hooks_jumps(lane, before, pc);
    if (__builtin_expect(log->next < log->end, 1))
        write_branch(log, before, pc);
    else
        log_rare_branch(lane, before, pc);
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    struct lane *lane = simt_current_lane;

    if (__builtin_expect(lane != NULL, 1))
        log_branch(lane, code_offset(__builtin_return_address(0)));
}

static void log_entry(struct lane *lane, uint32_t call_site)
{
    struct log *log = &lane->log;

    if (!log->begin)
        return;
    /* At depth 1 this is a call in the kernel, at 2 one in what it called; the kernel's own entry,
     * and calls further down, leave the path as it is. */
    if (log->depth == 1 || log->depth == 2) {
        uint64_t key = append_key(log, call_site);
        log->place = key;
        log->path = key;
    }
    *level_of(log, log->depth) = log->place;
    log_set_depth(log, log->depth + 1);
    log->place = 0;
}

void __tsan_func_entry(void *call_site);
void __tsan_func_entry(void *call_site)
{
    struct lane *lane = simt_current_lane;

    if (lane)
        log_entry(lane, code_offset(call_site));
}

static void log_exit(struct log *log)
{
    log_set_depth(log, log->depth - 1);
    log->place = *level_of(log, log->depth);
    if (log->depth == 1)
        log->path = 0;
    else if (log->depth == 2)
        log->path = path_of_kernel(log->path);
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.begin)
        return;
    struct log *log = &lane->log;
    if (log->values) /* the lane may end here */
        values_settle(log->values, EVENT_STORE);
    if (log->end == LOG_STOP)
        end_volatile(lane);
    append_settle(lane);
    log_exit(log);
}

/* ---- the hooks of accesses ---- */

#define HOOK(name, kind, size, extra)                                                              \
    void name(void *p);                                                                            \
    void name(void *p)                                                                             \
    {                                                                                              \
        log_access((uintptr_t)p, kind, size, extra, __builtin_return_address(0));                  \
    }
#define HOOKS(size)                                                                                \
    HOOK(__tsan_write##size, EVENT_STORE, size, 0)                                                 \
    HOOK(__tsan_volatile_read##size, EVENT_LOAD, size, EXTRA_VOLATILE)                             \
    HOOK(__tsan_volatile_write##size, EVENT_STORE, size, EXTRA_VOLATILE)

#define SAME_AS(name, other) void name(void *p) __attribute__((alias(#other)));
#define UNALIGNED(size)                                                                            \
    SAME_AS(__tsan_unaligned_read##size, __tsan_read##size)                                        \
    SAME_AS(__tsan_unaligned_write##size, __tsan_write##size)

/* Where a shared variable's type has a constructor, g++ has the first thread call it, and looks at
 * a byte that says whether it was called. A GPU calls none (and nvcc warns of one that does more
 * than nothing): so it was, before anybody looks. */
void __tsan_read1(void *p);
void __tsan_read1(void *p)
{
    if (simt_current_lane && space_is_guard((uintptr_t)p))
        *(char *)p = 1;
    else
        log_access((uintptr_t)p, EVENT_LOAD, 1, 0, __builtin_return_address(0));
}

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
HOOK(__tsan_read2, EVENT_LOAD, 2, 0)
HOOK(__tsan_read4, EVENT_LOAD, 4, 0)
HOOK(__tsan_read8, EVENT_LOAD, 8, 0)
HOOK(__tsan_read16, EVENT_LOAD, 16, 0)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

/* size bytes in pieces of at most `most`, the last of all if `last`; what is behind them. */
static uintptr_t log_pieces(uintptr_t address, size_t size, size_t most, bool last, unsigned kind,
                            const void *pc)
{
    while (size > 0) {
        size_t bytes = size >= most ? most : 1;
        size -= bytes;
        unsigned piece = last && size == 0 ? PIECE_LAST : PIECE_MORE;
        log_access(address, kind, (unsigned)bytes,
                   kind == EVENT_LOAD ? piece << EXTRA_LANE_SHIFT : 0, pc);
        address += bytes;
    }
    return address;
}

/* Structures of other sizes go word by word, as a GPU moves those that are aligned to 4 bytes;
 * those that are not, byte by byte up to the first whole word. */
static void log_range(uintptr_t address, size_t size, unsigned kind, const void *pc)
{
    size_t front = -address % 4 < size ? -address % 4 : size;
    struct lane *lane = simt_current_lane;
    struct values *values = lane ? lane->log.values : NULL;

    if (values) {
        has_room(lane, kind);
        values->in_range = true;
    }
    if (lane && kind == EVENT_STORE && lane->log.begin) {
        append_settle(lane);
        lane->log.in_range = true;
    }
    address = log_pieces(address, front, 1, front == size, kind, pc);
    log_pieces(address, size - front, 4, true, kind, pc);
    if (lane)
        lane->log.in_range = false;
    if (values)
        values->in_range = false;
}

/* Of memcpy and its like nobody knows how they are aligned. */
void hooks_range(const void *address, size_t size, bool store, const void *pc)
{
    uintptr_t at = (uintptr_t)address;
    unsigned kind = store ? EVENT_STORE : EVENT_LOAD;

    if (size == 0)
        return;
    if (!simt_current_lane) {
        hooks_host_access(at, (unsigned)(size > UINT32_MAX ? UINT32_MAX : size), store, false, pc);
        return;
    }
    log_range(at, size, kind, pc);
}

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
    log_range((uintptr_t)p, size, EVENT_LOAD, __builtin_return_address(0));
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
    log_range((uintptr_t)p, size, EVENT_STORE, __builtin_return_address(0));
}

/* In front of a constructor's, or destructor's, store of where its virtual functions are. */
void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_update(void **p, void *value)
{
    (void)value;
    log_access((uintptr_t)p, EVENT_STORE, sizeof *p, 0, __builtin_return_address(0));
}

/* Called once per file at the program's start. */
void __tsan_init(void);
void __tsan_init(void)
{
}

/* ---- atomics of the C++ library in files that simtcc compiles ----
 *
 * std::atomic, shared_ptr, guards of local static variables. The thread sanitizer's hooks do not
 * surround them but replace them, so they are defined here, as what they stand for. Memory orders
 * are taken as the strongest. --- ---- */

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
