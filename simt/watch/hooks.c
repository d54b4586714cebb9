/* The hooks. They are small and fast, because they run for every access of every thread. */
#include "watch/hooks.h"
#include "run/block.h"
#include "run/symbols.h"
#include "watch/source.h"
#include "watch/trace.h"

struct listener hooks_listener;

/* ---- the host ---- */

/* Nothing is told of memory that is not the device's: that costs a comparison or two. */
void hooks_host(uintptr_t address, size_t size, bool store, bool polls, const void *pc)
{
    const void *at = (const void *)address;

    if (!memory_is_device(at) && !symbols_near(at))
        return;
    if (!store)
        lane_so_far.taken += size;
    if (hooks_listener.host_access)
        hooks_listener.host_access(address, (unsigned)(size > UINT32_MAX ? UINT32_MAX : size),
                                   store, polls, pc);
}

/* ---- accesses and operations ---- */

/* The key of an event at this pc. */
static inline uint64_t key_of(const struct log *log, uint32_t pc)
{
    return log->path | pc * log->scale; /* in fewer steps than a shift */
}

/* Appends an event, for which the log has room. An assignment to the fields would take twice as
 * long. */
static inline void append(struct log *log, uint64_t key, uint64_t address, unsigned kind,
                          unsigned size, unsigned extra)
{
    uint64_t event[] = {key, (address & EVENT_ADDRESS) | log->event_depth |
                                 event_what(kind, size, extra)};

    memcpy(log->next++, event, sizeof event);
}

/* Tells the listener of an access that the lane is about to make. settle must have been called in
 * front of a store. False: the access is not logged. */
static inline bool tell_access(struct lane *lane, uintptr_t address, unsigned kind, unsigned size,
                               unsigned extra, const void *pc)
{
    struct lane_access access = lane_access(address, kind, size, extra, code_offset(pc));
    enum access_verdict verdict =
        hooks_listener.access ? hooks_listener.access(lane, access) : ACCESS_FINE;

    if (kind == EVENT_STORE && (verdict == ACCESS_SETTLES || lane->log.values))
        lane->log.storing = true;
    if (__builtin_expect(lane->strayed, 0) && kind == EVENT_STORE)
        stray_stores(lane, address, size);
    return verdict != ACCESS_REFUSED;
}

/* The access is not logged. A shadow (run/block.h) may be about to make it. */
__attribute__((noinline)) static void shadow_access(struct lane *lane, uintptr_t address,
                                                    unsigned kind, unsigned size, unsigned extra)
{
    if (!stray_is_shadow())
        return;
    stray_stores(lane, address, kind == EVENT_STORE ? size : 0);
    if (kind == EVENT_LOAD && extra & EXTRA_VOLATILE)
        stray_looks(lane, address, size);
}

/* The lines that run most often. All rarer cases are in functions that are called. */
static inline void log_access(uintptr_t address, unsigned kind, unsigned size, unsigned extra,
                              const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (__builtin_expect(!lane, 0)) {
        hooks_host(address, size, kind == EVENT_STORE, extra & EXTRA_VOLATILE, pc);
        return;
    }
    struct log *log = &lane->log;
    if (address - log->stack < FIBER_STACK_BYTES)
        return;
    if (!due_has_room(lane, kind)) {
        if (log->end)
            shadow_access(lane, address, kind, size, extra);
        return;
    }
    uint64_t key = log->place = key_of(log, code_offset(pc));
    lane_activity += kind == EVENT_STORE;
    if (kind == EVENT_STORE && !log->in_range)
        due_settle(lane);
    if (!tell_access(lane, address, kind, size, extra, pc))
        return;
    append(log, key, address, kind, size, extra);
    if (__builtin_expect(log->values != NULL, 0))
        values_add(log);
    if (extra & EXTRA_VOLATILE)
        due_begin_volatile(lane, address, kind, size);
}

void hooks_access(uintptr_t address, unsigned kind, unsigned size, unsigned extra, const void *pc)
{
    log_access(address, kind, size, extra, pc);
}

__attribute__((noinline)) static void log_rare_operation(struct lane *lane, enum event_kind kind,
                                                         uint64_t address, unsigned size,
                                                         unsigned extra, const void *pc)
{
    struct log *log = &lane->log;
    bool orders = kind == EVENT_ORDER || kind == EVENT_FENCE;

    if (!log->end)
        return;
    due_settle(lane);
    if (log->end == LOG_STOP)
        due_end_volatile(lane);
    if (hooks_listener.synchronises && (orders || kind == EVENT_SYNCWARP))
        hooks_listener.synchronises(lane, kind, address, size);
    if (orders || !due_has_room(lane, kind))
        return;
    if (kind == EVENT_ATOMIC && !tell_access(lane, address, kind, size, extra, pc))
        return;
    uint64_t key = log->place = key_of(log, code_offset(pc));
    append(log, kind >= EVENT_SYNCTHREADS ? key | KEY_WAITS : key, address, kind, size, extra);
}

/* The usual operation is a barrier or a warp operation, which is logged and needs nothing else. */
void hooks_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                     unsigned extra, const void *pc)
{
    struct log *log = &lane->log;

    if (log->next >= log->end || log->storing || kind < EVENT_SYNCTHREADS ||
        kind == EVENT_SYNCWARP) {
        log_rare_operation(lane, kind, address, size, extra, pc);
        return;
    }
    log->place = key_of(log, code_offset(pc));
    append(log, log->place | KEY_WAITS, address, kind, size, extra);
}

/* ---- basic blocks and calls ---- */

/* The basic block ends behind `before`, the lane's last place, and the next one begins at pc. The
 * end's key has a bit below the place's pc. */
static inline void append_branch(struct log *log, uint64_t before, uint32_t pc)
{
    append(log, before | log->scale / 2, pc, EVENT_BRANCH, 0, 0);
}

/* A branch that is not logged: nobody observes, or not in so deep a call. */
__attribute__((noinline)) static void pass_branch(struct lane *lane)
{
    if (!due_has_room(lane, EVENT_BRANCH))
        shadow_access(lane, 0, EVENT_BRANCH, 0, 0);
}

__attribute__((noinline)) static void make_room_for_branch(struct lane *lane, uint64_t before,
                                                           uint32_t pc)
{
    uint64_t place = lane->log.place;

    if (place <= before && hooks_listener.jumps)
        hooks_listener.jumps(lane, before, place);
    if (due_has_room(lane, EVENT_BRANCH))
        append_branch(&lane->log, before, pc);
}

static inline void log_branch(struct lane *lane, uint32_t pc)
{
    struct log *log = &lane->log;
    uint64_t before = log->place;

    if (log->depth >= LOG_LEVELS) {
        if (log->end)
            pass_branch(lane);
        return;
    }
    uint64_t place = log->place = key_of(log, pc);
    if (before == 0)
        return;
    if (log->next >= log->end) {
        make_room_for_branch(lane, before, pc);
        return;
    }
    append_branch(log, before, pc);
    if (place <= before && hooks_listener.jumps)
        hooks_listener.jumps(lane, before, place);
}

/* Without optimisation a basic block begins right behind a call of __tsan_func_exit. It is not
 * logged, because it still belongs to the called function, while the log has gone back to the
 * caller. */
enum { BEHIND_EXIT = 8 };

void __sanitizer_cov_trace_pc(void)
{
    struct lane *lane = simt_current_lane;
    uint32_t pc = code_offset(__builtin_return_address(0));

    if (__builtin_expect(lane == NULL, 0))
        return;
    uint32_t exited = lane->log.exited;
    if (exited)
        lane->log.exited = 0;
    if (!exited || pc - exited > BEHIND_EXIT)
        log_branch(lane, pc);
}

/* The entry for `place` of the caller at this depth. */
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
    /* Depth 1: a call in the kernel; 2: a call in a function that the kernel called. The kernel's
     * own entry, and calls further down, leave the path as it is. */
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
        due_end_volatile(lane);
    due_settle(lane); /* the lane may end here */
    log_set_depth(log, log->depth - 1);
    log->place = *level_of(log, log->depth);
    if (log->depth == 1)
        log->path = 0;
    else if (log->depth == 2)
        log->path = path_of_kernel(log->path);
    log->exited = code_offset(__builtin_return_address(0));
}

/* ---- the hooks of accesses ---- */

/* If a shared variable's type has a constructor, g++'s code lets the first thread call it, and
 * keeps a byte that says whether it was called. A GPU calls no constructor (nvcc warns of one that
 * does anything), so the byte is set before g++'s code reads it. */
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
HOOK(__tsan_volatile_read16, EVENT_LOAD, 16, EXTRA_VOLATILE)
HOOK(__tsan_volatile_write16, EVENT_STORE, 16, EXTRA_VOLATILE)
HOOK(simt_async_write4, EVENT_STORE, 4, EXTRA_ASYNC)
HOOK(simt_async_write8, EVENT_STORE, 8, EXTRA_ASYNC)
HOOK(simt_async_write16, EVENT_STORE, 16, EXTRA_ASYNC)

/* A constructor or destructor is about to store the pointer to its virtual functions. */
void __tsan_vptr_update(void **p, void *value)
{
    (void)value;
    log_access((uintptr_t)p, EVENT_STORE, sizeof *p, 0, __builtin_return_address(0));
    if (!simt_current_lane && memory_is_device(p))
        launch_made_object(p);
}
