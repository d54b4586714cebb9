/* The compiler's hooks. Small and fast: they run for every access of every thread. */
#define _GNU_SOURCE
#include "run/block.h"
#include "watch/observe.h"

/* Begin of the program's code; the linker defines it. pcs are kept as offsets from it. */
extern char __executable_start[];

uintptr_t trace_address(uint32_t pc)
{
    return (uintptr_t)__executable_start + pc;
}

static inline uint32_t pc_offset(const void *pc)
{
    uintptr_t offset = (uintptr_t)pc - (uintptr_t)__executable_start;
    return offset < KEY_PC_MASK ? (uint32_t)offset : KEY_PC_MASK;
}

uint32_t trace_offset(const void *pc)
{
    return pc_offset(pc);
}

void trace_start(struct trace *trace, struct event *begin, uintptr_t stack)
{
    trace->begin = trace->next = begin;
    trace->end = begin ? begin + TRACE_EVENTS : NULL;
    trace->stack = stack;
    trace->path = trace->last = 0;
    trace->last_pc = 0;
    trace->depth = 0;
    trace->level[0] = 0;
}

static inline unsigned key_depth(const struct trace *trace)
{
    /* depth counts the kernel's own level as 1 */
    return trace->depth <= 1 ? 0 : trace->depth == 2 ? 1 : 2;
}

static inline void append(struct lane *lane, struct event event, uint32_t pc)
{
    struct trace *trace = &lane->trace;

    *trace->next++ = event;
    trace->last = event.key;
    trace->last_pc = pc;
    if (__builtin_expect(trace->next == trace->end, 0))
        observe_full_log(lane);
}

static inline void remember_place(struct trace *trace, uint64_t key)
{
    if (trace->depth < TRACE_LEVELS)
        trace->level[trace->depth] = key;
}

static inline void log_access(uintptr_t address, unsigned kind, unsigned size, const void *pc)
{
    struct lane *lane = block_current_lane();

    if (!lane) {
        observe_host_access(address, size, kind == EVENT_STORE, pc);
        return;
    }
    struct trace *trace = &lane->trace;
    if (!trace->end || address - trace->stack < FIBER_STACK_BYTES)
        return;
    unsigned depth = key_depth(trace);
    uint32_t offset = pc_offset(pc);
    uint64_t key = event_key(trace->path, depth, offset, false);
    remember_place(trace, key);
    append(lane, (struct event){key, address, kind, depth, size}, offset);
}

void trace_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     const void *pc)
{
    struct trace *trace = &lane->trace;

    if (!trace->end)
        return;
    unsigned depth = key_depth(trace);
    uint32_t offset = pc_offset(pc);
    uint64_t key = event_key(trace->path, depth, offset, false);
    remember_place(trace, key);
    if (kind >= EVENT_SYNCTHREADS)
        key |= KEY_WAITS;
    append(lane, (struct event){key, address, kind, depth, size}, offset);
}

/* ---- basic blocks and calls ---- */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    struct lane *lane = block_current_lane();

    if (!lane || !lane->trace.end || lane->trace.depth >= TRACE_LEVELS)
        return;
    struct trace *trace = &lane->trace;
    uint32_t pc = pc_offset(__builtin_return_address(0));
    unsigned depth = key_depth(trace);
    uint64_t before = trace->level[trace->depth];

    trace->level[trace->depth] = event_key(trace->path, depth, pc, false);
    if (before != 0) {
        /* the end bit of the field that holds the pc */
        uint64_t end = before | (uint64_t)1 << (2 - depth) * KEY_FIELD_BITS;
        append(lane, (struct event){end, pc, EVENT_BRANCH, depth, 0}, pc);
    }
}

void __tsan_func_entry(void *call_site);
void __tsan_func_entry(void *call_site)
{
    struct lane *lane = block_current_lane();

    if (!lane || !lane->trace.end)
        return;
    struct trace *trace = &lane->trace;
    /* At depth 1 this is a call in the kernel, at 2 one in what it called; the kernel's own entry,
     * and calls further down, leave the path as it is. */
    if (trace->depth == 1 || trace->depth == 2) {
        uint64_t key = event_key(trace->path, trace->depth - 1, pc_offset(call_site), false);
        remember_place(trace, key);
        trace->path = key;
    }
    trace->depth++;
    remember_place(trace, 0);
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
    struct lane *lane = block_current_lane();

    if (!lane || !lane->trace.end)
        return;
    struct trace *trace = &lane->trace;
    trace->depth--;
    if (trace->depth == 1)
        trace->path = 0;
    else if (trace->depth == 2)
        trace->path &= ~(((uint64_t)1 << 2 * KEY_FIELD_BITS) - 1);
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
