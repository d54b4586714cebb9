/* The hooks themselves. Small and fast: they run for every access of every thread. */
#include "watch/hooks.h"
#include "run/memory.h"
#include "run/schedule.h"
#include "watch/code.h"

#include <string.h>

static void ignore_host(uintptr_t address, unsigned size, bool store, const void *pc)
{
    (void)address, (void)size, (void)store, (void)pc;
}

void (*hooks_host_access)(uintptr_t, unsigned, bool, const void *) = ignore_host;

/* What the events of a depth of calls have in common, once a call instead of once an event. */
static void set_depth(struct log *log, unsigned depth)
{
    log->depth = depth;
    log->key_depth = depth <= 1 ? 0 : depth == 2 ? 1 : 2;
    log->shift = event_shift(log->key_depth);
    log->place = &log->level[depth < LOG_LEVELS ? depth : LOG_LEVELS];
}

void hooks_start(struct log *log, struct event *begin, uintptr_t stack)
{
    log->begin = log->next = begin;
    log->end = begin ? begin + LOG_EVENTS : NULL;
    log->stack = stack;
    log->path = log->last = 0;
    log->last_pc = 0;
    log->level[0] = 0;
    set_depth(log, 0);
}

/* The running lane's log is full: it waits until it has been merged. A function of its own, so that
 * the hooks need no stack. */
static __attribute__((noinline)) void wait_for_room(struct lane *lane)
{
    schedule_watchdog(lane);
    schedule_wait(lane, WAIT_LOG, NULL);
}

static inline void append(struct lane *lane, uint64_t key, uint64_t what, uint32_t pc)
{
    struct log *log = &lane->log;
    struct event *event = log->next++;

    memcpy(event, &key, sizeof key);
    memcpy((char *)event + sizeof key, &what, sizeof what);
    log->last = key;
    log->last_pc = pc;
    if (__builtin_expect(event + 1 == log->end, 0))
        wait_for_room(lane);
}

static inline uint64_t key_here(const struct log *log, uint32_t pc)
{
    return log->path | (uint64_t)pc << log->shift;
}

static inline void log_access(uintptr_t address, unsigned kind, unsigned size, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!lane) {
        if (memory_is_device((const void *)address))
            hooks_host_access(address, size, kind == EVENT_STORE, pc);
        return;
    }
    struct log *log = &lane->log;
    if (!log->end || address - log->stack < FIBER_STACK_BYTES)
        return;
    uint32_t offset = code_offset(pc);
    uint64_t key = key_here(log, offset);
    *log->place = key;
    append(lane, key, event_what(address, kind, log->key_depth, size), offset);
}

void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     const void *pc)
{
    struct log *log = &lane->log;

    if (!log->end)
        return;
    uint32_t offset = code_offset(pc);
    uint64_t key = key_here(log, offset);
    *log->place = key;
    if (kind >= EVENT_SYNCTHREADS)
        key |= KEY_WAITS;
    append(lane, key, event_what(address, kind, log->key_depth, size), offset);
}

/* ---- basic blocks and calls ---- */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.end || lane->log.depth >= LOG_LEVELS)
        return;
    struct log *log = &lane->log;
    uint32_t pc = code_offset(__builtin_return_address(0));
    uint64_t before = *log->place;

    *log->place = key_here(log, pc);
    if (before != 0) {
        /* the end bit of the field that holds the pc lies below it */
        uint64_t end = before | (uint64_t)1 << (log->shift - 1);
        append(lane, end, event_what(pc, EVENT_BRANCH, log->key_depth, 0), pc);
    }
}

void __tsan_func_entry(void *call_site);
void __tsan_func_entry(void *call_site)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.end)
        return;
    struct log *log = &lane->log;
    /* At depth 1 this is a call in the kernel, at 2 one in what it called; the kernel's own entry,
     * and calls further down, leave the path as it is. */
    if (log->depth == 1 || log->depth == 2) {
        uint64_t key = key_here(log, code_offset(call_site));
        *log->place = key;
        log->path = key;
    }
    set_depth(log, log->depth + 1);
    *log->place = 0;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.end)
        return;
    struct log *log = &lane->log;
    set_depth(log, log->depth - 1);
    if (log->depth == 1)
        log->path = 0;
    else if (log->depth == 2)
        log->path &= ~(((uint64_t)1 << 2 * KEY_FIELD_BITS) - 1);
}

/* ---- accesses ---- */

#define HOOKS(size)                                                                                \
    void __tsan_read##size(void *p);                                                               \
    void __tsan_write##size(void *p);                                                              \
    void __tsan_read##size(void *p)                                                                \
    {                                                                                              \
        log_access((uintptr_t)p, EVENT_LOAD, size, __builtin_return_address(0));                   \
    }                                                                                              \
    void __tsan_write##size(void *p)                                                               \
    {                                                                                              \
        log_access((uintptr_t)p, EVENT_STORE, size, __builtin_return_address(0));                  \
    }

#define SAME_AS(name, other) void name(void *p) __attribute__((alias(#other)));
#define UNALIGNED(size)                                                                            \
    SAME_AS(__tsan_unaligned_read##size, __tsan_read##size)                                        \
    SAME_AS(__tsan_unaligned_write##size, __tsan_write##size)

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

/* Structures of other sizes go word by word, as a GPU moves those that are aligned to 4 bytes. */
static void log_range(uintptr_t address, size_t size, unsigned kind, const void *pc)
{
    for (; size >= 4; address += 4, size -= 4)
        log_access(address, kind, 4, pc);
    for (; size > 0; address++, size--)
        log_access(address, kind, 1, pc);
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

/* Called for classes with virtual functions, and once per file at the program's start. */
void __tsan_vptr_update(void **p, void *value);
void __tsan_vptr_update(void **p, void *value)
{
    (void)p, (void)value;
}

void __tsan_vptr_read(void **p);
void __tsan_vptr_read(void **p)
{
    (void)p;
}

void __tsan_init(void);
void __tsan_init(void)
{
}
