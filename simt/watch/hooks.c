/* The hooks themselves. Small and fast: they run for every access of every thread. */
#include "watch/hooks.h"
#include "run/async.h"
#include "run/atomic.h"
#include "run/memory.h"
#include "run/heap.h"
#include "run/schedule.h"
#include "run/symbols.h"
#include "watch/code.h"

#include <string.h>

static void ignore_host(uintptr_t address, unsigned size, bool store, bool polls, const void *pc)
{
    (void)address, (void)size, (void)store, (void)polls, (void)pc;
}

void (*hooks_host_access)(uintptr_t, unsigned, bool, bool, const void *) = ignore_host;

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

/* What the events of a depth of calls have in common, once a call instead of once an event. */
static void set_depth(struct log *log, unsigned depth)
{
    log->depth = depth;
    log->key_depth = depth <= 1 ? 0 : depth == 2 ? 1 : 2;
    log->shift = event_shift(log->key_depth);
    log->place = &log->level[depth < LOG_LEVELS ? depth : LOG_LEVELS];
}

void hooks_start(struct log *log, struct event *begin, uintptr_t stack, bool traced)
{
    log->begin = begin;
    log->next = begin ? begin : nowhere;
    log->traced = traced && begin;
    log->end = !begin ? NULL : traced ? begin : begin + LOG_ROOM;
    if (log->traced)
        log->owes = 0, log->range = 0;
    log->volatile_key = 0;
    log->stack = stack;
    log->path = log->last = 0;
    log->last_pc = 0;
    log->level[0] = 0;
    set_depth(log, 0);
}

/* ---- a log is full, or the watchdog has the lane stop ---- */

enum { LONGEST_LOOP = 32 };

/* The numbers of the order always grow. */
static bool same_event(const struct event *a, const struct event *b)
{
    return memcmp(a, b, sizeof *a) == 0 ||
           (a->kind == EVENT_ORDER && b->kind == EVENT_ORDER && a->key == b->key);
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
            kind != EVENT_FENCE && kind != EVENT_ORDER && kind != EVENT_VALUE)
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

/* A volatile load gets its place in the order of operations when it has been made, at the lane's
 * next event: what it saw was written by then. The place is logged in front of that event. */
static void order_volatile_load(struct log *log)
{
    struct event next = *--log->next;

    log->next[0] = (struct event){.key = log->volatile_key,
                                  .address = atomic_next_number() << 2,
                                  .kind = EVENT_ORDER,
                                  .depth = log->volatile_depth};
    log->next[1] = next;
    log->next += 2;
    log->volatile_key = 0;
}

static inline uint64_t key_here(const struct log *log, uint32_t pc)
{
    return log->path | (uint64_t)pc << log->shift;
}

/* ---- values, for a trace ----
 *
 * A hook runs before its access: what that read or stored is in memory at the lane's next event. So
 * the log of a lane that is traced ends always where it stands, and what is owed is logged in front
 * of the event that has just come. But a store is not yet made at a load behind it: g++ copies a
 * structure by a store's hook, a load's, and then both. */

/* Logs a value of up to 4 bytes, which `address` tells from others, behind the access at key. */
static void log_value(struct lane *lane, uint64_t key, unsigned depth, uintptr_t address,
                      const void *value, unsigned size)
{
    uint32_t bits = 0;
    struct log *log = &lane->log;

    memcpy(&bits, value, size);
    *log->next++ = (struct event){.key = key,
                                  .address = bits | (uint64_t)(uint16_t)address << 32,
                                  .kind = EVENT_VALUE,
                                  .depth = depth & 3,
                                  .size = size & 31};
    if (log->next >= log->begin + LOG_ROOM)
        wait_until_merged(lane);
}

/* A range goes in the pieces that log_range made of it. */
static void log_values(struct lane *lane, const struct owed *owed)
{
    uintptr_t address = owed->address, end = address + owed->size;

    while (address < end) {
        unsigned size = end - address < 4 ? (unsigned)(end - address) : 4;
        if (owed->range && (size < 4 || address % 4 != 0))
            size = 1;
        log_value(lane, owed->key, owed->depth, address, (const void *)address, size);
        address += size;
    }
}

static void log_all_values(struct lane *lane)
{
    struct log *log = &lane->log;

    for (unsigned i = 0; i < log->owes; i++)
        log_values(lane, &log->owed[i]);
    log->owes = 0;
}

/* Is the access another piece of the range that is being logged? */
static bool goes_on(const struct log *log, const struct event *access)
{
    const struct owed *last = log->owed + log->owes;

    return log->range && log->owes > 0 && last[-1].address == log->range &&
           access->address == last[-1].address + last[-1].size;
}

/* An event has been logged, perhaps an access. The place in the order that a volatile store gets
 * comes before it is made, too. */
static void log_values_before_last(struct lane *lane)
{
    struct log *log = &lane->log;
    struct event last = log->next[-1];
    bool load = last.kind == EVENT_LOAD, store = last.kind == EVENT_STORE;

    if (last.kind == EVENT_ORDER)
        return;
    if ((load || store) && goes_on(log, &last)) {
        log->owed[log->owes - 1].size += last.size;
        return;
    }
    if (!load || log->owes > 1 || !log->owed[0].store) {
        log->next--;
        log_all_values(lane);
        *log->next++ = last;
    }
    if (load || store)
        log->owed[log->owes++] = (struct owed){.key = last.key,
                                               .address = last.address,
                                               .size = last.size,
                                               .depth = last.depth,
                                               .store = store,
                                               .range = log->range != 0};
}

void hooks_atomic_values(struct lane *lane, const void *address, const void *values, size_t bytes,
                         const void *pc)
{
    uint64_t key = key_here(&lane->log, code_offset(pc));

    for (size_t i = 0, size; i < bytes; i += size) {
        size = bytes - i < 4 ? bytes - i : 4;
        log_value(lane, key, lane->log.key_depth, (uintptr_t)address + i, (const char *)values + i,
                  (unsigned)size);
    }
}

/* The lane's log ends here, for whichever reason. */
static void log_ends(struct lane *lane)
{
    struct log *log = &lane->log;

    if (!log->begin) {
        log->next = nowhere;
        log->end = NULL;
        set_depth(log, 1);
        schedule_rest(lane);
        return;
    }
    if (log->traced)
        log_values_before_last(lane);
    if (log->volatile_key)
        order_volatile_load(log);
    log->end = log->traced ? log->begin : log->begin + LOG_ROOM;
    if (log->next >= log->begin + LOG_ROOM)
        wait_until_merged(lane);
    else if (lane->block->disturbed)
        schedule_rest(lane);
}

static inline void append(struct lane *lane, uint64_t key, uint64_t what, uint32_t pc)
{
    struct log *log = &lane->log;
    struct event *event = log->next++;

    memcpy(event, &key, sizeof key);
    memcpy((char *)event + sizeof key, &what, sizeof what);
    log->last = key;
    log->last_pc = pc;
    if (__builtin_expect(log->next >= log->end, 0))
        log_ends(lane);
}

/* May stop the program as the store itself would: in this file, so that the report names the line
 * of the store (judge/fatal.c). */
static inline unsigned value_at(uintptr_t address, unsigned size)
{
    uint64_t value[2] = {0, 0};

    __builtin_memcpy(value, (const void *)address, size); /* no header's */
    return event_value(value);
}

/* Where fences are used, others can rely on a volatile access, too. A store gets its place before
 * it is made, a load after it was. */
static void order_volatile(struct lane *lane, uint64_t key, unsigned kind, uint32_t pc)
{
    struct log *log = &lane->log;

    if (!atomic_program_has_fences())
        return;
    if (kind == EVENT_STORE) {
        append(lane, key,
               event_what(atomic_next_number() << 2 | 2, EVENT_ORDER, log->key_depth, 0, 0), pc);
    } else {
        log->volatile_key = key;
        log->volatile_depth = log->key_depth;
        log->end = log->next + 1;
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

static inline void log_access(uintptr_t address, unsigned kind, unsigned size, unsigned extra,
                              const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!lane) {
        if (is_shared((const void *)address))
            hooks_host_access(address, size, kind == EVENT_STORE, extra & EXTRA_VOLATILE, pc);
        return;
    }
    struct log *log = &lane->log;
    if (!log->end || address - log->stack < FIBER_STACK_BYTES)
        return;
    if (__builtin_expect(heap_has(address), 0) &&
        (!hooks_heap_access(lane, kind, address, size, pc) || heap_is_mixed()))
        return;
    uint32_t offset = code_offset(pc);
    uint64_t key = key_here(log, offset);
    *log->place = key;
    if (kind == EVENT_STORE) {
        log->changes++;
        log->last_pc = offset; /* where it stopped, should there be no memory */
        extra |= value_at(address, size) << EXTRA_LANE_SHIFT;
    }
    append(lane, key, event_what(address, kind, log->key_depth, size, extra), offset);
    if (extra & EXTRA_VOLATILE)
        order_volatile(lane, key, kind, offset);
}

void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc)
{
    struct log *log = &lane->log;

    if (!log->end)
        return;
    if (kind == EVENT_ATOMIC && heap_has(address) &&
        (!hooks_heap_access(lane, kind, address, size, pc) || heap_is_mixed()))
        return;
    uint32_t offset = code_offset(pc);
    uint64_t key = key_here(log, offset);
    *log->place = key;
    if (kind >= EVENT_SYNCTHREADS)
        key |= KEY_WAITS;
    append(lane, key, event_what(address, kind, log->key_depth, size, extra), offset);
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
        append(lane, end, event_what(pc, EVENT_BRANCH, log->key_depth, 0, 0), pc);
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
    if (log->traced) /* the lane may end here */
        log_all_values(lane);
    set_depth(log, log->depth - 1);
    if (log->depth == 1)
        log->path = 0;
    else if (log->depth == 2)
        log->path &= ~(((uint64_t)1 << 2 * KEY_FIELD_BITS) - 1);
}

/* ---- accesses ---- */

#define HOOK(name, kind, size, extra)                                                              \
    void name(void *p);                                                                            \
    void name(void *p)                                                                             \
    {                                                                                              \
        log_access((uintptr_t)p, kind, size, extra, __builtin_return_address(0));                  \
    }
#define HOOKS(size)                                                                                \
    HOOK(__tsan_read##size, EVENT_LOAD, size, 0)                                                   \
    HOOK(__tsan_write##size, EVENT_STORE, size, 0)                                                 \
    HOOK(__tsan_volatile_read##size, EVENT_LOAD, size, EXTRA_VOLATILE)                             \
    HOOK(__tsan_volatile_write##size, EVENT_STORE, size, EXTRA_VOLATILE)

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
    bool traced = lane && lane->log.traced;

    if (traced)
        lane->log.range = address;
    address = log_pieces(address, front, 1, front == size, kind, pc);
    log_pieces(address, size - front, 4, true, kind, pc);
    if (traced)
        lane->log.range = 0;
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

/* A file with hooks tells what the host touches. */
void __tsan_init(void);
void __tsan_init(void)
{
    async_host_is_seen = true;
}
