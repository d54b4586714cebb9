/* The hooks themselves. Small and fast: they run for every access of every thread. */
#include "watch/hooks.h"
#include "run/heap.h"
#include "run/schedule.h"
#include "watch/code.h"

#include <string.h>

static void ignore_host(uintptr_t address, unsigned size, bool store, const void *pc)
{
    (void)address, (void)size, (void)store, (void)pc;
}

void (*hooks_host_access)(uintptr_t, unsigned, bool, const void *) = ignore_host;

static bool allow_heap(const struct lane *lane, enum event_kind kind, uintptr_t address,
                       unsigned size, const void *pc)
{
    (void)lane, (void)kind, (void)address, (void)size, (void)pc;
    return true;
}

bool (*hooks_heap_access)(const struct lane *, enum event_kind, uintptr_t, unsigned,
                          const void *) = allow_heap;

/* Where a lane that nobody looks at writes when the watchdog has it stop. */
static struct event nowhere[2];

void hooks_start(struct log *log, struct event *begin, uintptr_t stack)
{
    log->begin = begin;
    log->next = begin ? begin : nowhere;
    log->end = begin ? begin + LOG_EVENTS : NULL;
    log->stack = stack;
    log->path = log->last = 0;
    log->last_pc = 0;
    log->depth = 0;
    log->level[0] = 0;
}

static inline unsigned key_depth(const struct log *log)
{
    /* depth counts the kernel's own level as 1 */
    return log->depth <= 1 ? 0 : log->depth == 2 ? 1 : 2;
}

/* ---- a log is full, or the watchdog has the lane stop ---- */

enum { LONGEST_LOOP = 32 };

static bool same_event(const struct event *a, const struct event *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* How many events back the lane did what it did last, and twice in a row the same up to there; 0:
 * it is in no loop so small. */
static int loop_length(const struct log *log)
{
    const struct event *last = log->next - 1;

    for (int length = 1; length <= LONGEST_LOOP && last - 2 * length >= log->begin; length++) {
        if (!same_event(last, last - length))
            continue;
        for (int i = 1; i < length; i++)
            if (!same_event(last - i, last - i - length))
                return 0;
        return length;
    }
    return 0;
}

/* Does the lane go round in a loop in which nothing changes? Sets *looks if it looks at memory
 * there. */
static bool goes_round(const struct log *log, bool *looks)
{
    int length = loop_length(log);

    *looks = false;
    for (int i = 1; i <= length; i++) {
        unsigned kind = log->next[-i].kind;
        if (kind != EVENT_LOAD && kind != EVENT_ATOMIC && kind != EVENT_BRANCH &&
            kind != EVENT_FENCE)
            return false;
        *looks |= event_is_access(kind);
    }
    return length > 0;
}

/* The running lane's log is full: it waits until it has been merged. */
static void wait_until_merged(struct lane *lane)
{
    bool looks, round = goes_round(&lane->log, &looks);

    schedule_wait(lane, WAIT_LOG, NULL);
    if (!round) {
        lane->block->still = 0;
        return;
    }
    lane->block->endless |= !looks;
    schedule_poll(lane);
}

static void wait_for_room(struct lane *lane)
{
    struct log *log = &lane->log;

    if (!log->begin) {
        log->next = nowhere;
        log->end = NULL;
        log->depth = 1;
        schedule_rest(lane);
        return;
    }
    log->end = log->begin + LOG_EVENTS;
    if (log->next == log->end)
        wait_until_merged(lane);
    else
        schedule_rest(lane);
}

static inline void append(struct lane *lane, struct event event, uint32_t pc)
{
    struct log *log = &lane->log;

    *log->next++ = event;
    log->last = event.key;
    log->last_pc = pc;
    if (__builtin_expect(log->next >= log->end, 0))
        wait_for_room(lane);
}

static inline void remember_place(struct log *log, uint64_t key)
{
    if (log->depth < LOG_LEVELS)
        log->level[log->depth] = key;
}

static inline void log_access(uintptr_t address, unsigned kind, unsigned size,
                              enum event_piece piece, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!lane) {
        hooks_host_access(address, size, kind == EVENT_STORE, pc);
        return;
    }
    struct log *log = &lane->log;
    if (!log->end || address - log->stack < FIBER_STACK_BYTES)
        return;
    if (__builtin_expect(heap_has(address), 0) &&
        (!hooks_heap_access(lane, kind, address, size, pc) || heap_is_mixed()))
        return;
    unsigned depth = key_depth(log);
    uint32_t offset = code_offset(pc);
    uint64_t key = event_key(log->path, depth, offset, false);
    remember_place(log, key);
    log->changes += kind == EVENT_STORE;
    append(lane, (struct event){key, address, kind, depth, size, piece}, offset);
}

void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     const void *pc)
{
    struct log *log = &lane->log;

    if (!log->end)
        return;
    if (kind == EVENT_ATOMIC && heap_has(address) &&
        (!hooks_heap_access(lane, kind, address, size, pc) || heap_is_mixed()))
        return;
    unsigned depth = key_depth(log);
    uint32_t offset = code_offset(pc);
    uint64_t key = event_key(log->path, depth, offset, false);
    remember_place(log, key);
    if (kind >= EVENT_SYNCTHREADS)
        key |= KEY_WAITS;
    append(lane, (struct event){key, address, kind, depth, size, PIECE_NONE}, offset);
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
    unsigned depth = key_depth(log);
    uint64_t before = log->level[log->depth];

    log->level[log->depth] = event_key(log->path, depth, pc, false);
    if (before != 0) {
        /* the end bit of the field that holds the pc */
        uint64_t end = before | (uint64_t)1 << (2 - depth) * KEY_FIELD_BITS;
        append(lane, (struct event){end, pc, EVENT_BRANCH, depth, 0, PIECE_NONE}, pc);
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
        uint64_t key = event_key(log->path, log->depth - 1, code_offset(call_site), false);
        remember_place(log, key);
        log->path = key;
    }
    log->depth++;
    remember_place(log, 0);
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
    struct lane *lane = simt_current_lane;

    if (!lane || !lane->log.end)
        return;
    struct log *log = &lane->log;
    log->depth--;
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
        log_access((uintptr_t)p, EVENT_LOAD, size, PIECE_NONE, __builtin_return_address(0));       \
    }                                                                                              \
    void __tsan_write##size(void *p)                                                               \
    {                                                                                              \
        log_access((uintptr_t)p, EVENT_STORE, size, PIECE_NONE, __builtin_return_address(0));      \
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

/* size bytes in pieces of at most `most`, the last of all if `last`; what is behind them. */
static uintptr_t log_pieces(uintptr_t address, size_t size, size_t most, bool last, unsigned kind,
                            const void *pc)
{
    while (size > 0) {
        size_t piece = size >= most ? most : 1;
        size -= piece;
        log_access(address, kind, (unsigned)piece, last && size == 0 ? PIECE_LAST : PIECE_MORE, pc);
        address += piece;
    }
    return address;
}

/* Structures of other sizes go word by word, as a GPU moves those that are aligned to 4 bytes. */
static void log_range(uintptr_t address, size_t size, unsigned kind, const void *pc)
{
    log_pieces(address, size, 4, true, kind, pc);
}

/* Of memcpy and its like nobody knows how they are aligned: bytes up to the first whole word. */
void hooks_range(const void *address, size_t size, bool store, const void *pc)
{
    uintptr_t at = (uintptr_t)address;
    size_t front = -at % 4 < size ? -at % 4 : size;
    unsigned kind = store ? EVENT_STORE : EVENT_LOAD;

    if (size == 0)
        return;
    if (!simt_current_lane) {
        hooks_host_access(at, (unsigned)(size > UINT32_MAX ? UINT32_MAX : size), store, pc);
        return;
    }
    at = log_pieces(at, front, 1, front == size, kind, pc);
    log_pieces(at, size - front, 4, true, kind, pc);
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
