/* Atomic operations on device and shared memory. The host's threads may use the same words, so they
 * are the processor's own atomics; what it lacks (float, min, inc) is a loop of compare-and-swap.
 */
#define _GNU_SOURCE
#include "run/atomic.h"
#include "run/observer.h"
#include "run/schedule.h"
#include "run/stray.h"

#include <string.h>

/* ---- what surrounds each operation ---- */

/* Each fence in compiled code leaves a byte in this section, 0 if its scope is the block
 * (cuda_runtime.h). */
extern const char __start_simt_fences[] __attribute__((weak));
extern const char __stop_simt_fences[] __attribute__((weak));

bool atomic_program_has_fences(void)
{
    return __start_simt_fences != NULL;
}

bool atomic_program_has_block_fences(void)
{
    return __start_simt_fences &&
           memchr(__start_simt_fences, 0, (size_t)(__stop_simt_fences - __start_simt_fences));
}

/* Who made the last operation on a word, where fences are used the last that changed it: the
 * address, then the block, then the thread. */
enum { AUTHORS = 1 << 12, BLOCK_BITS = 22, THREAD_BITS = 10 };
static uint64_t authors[AUTHORS];

static uint64_t *author_of(const void *word)
{
    return &authors[((uintptr_t)word >> 2) * 0x9e3779b9u >> 8 & (AUTHORS - 1)];
}

static uint64_t author(const void *word, uint32_t block, uint32_t thread)
{
    return (uint64_t)((uintptr_t)word >> 2) << (BLOCK_BITS + THREAD_BITS) |
           (uint64_t)(block & ((1u << BLOCK_BITS) - 1)) << THREAD_BITS | thread;
}

bool atomic_last_was(const void *word, uint32_t block, int thread)
{
    uint64_t asked = author(word, block, thread < 0 ? 0 : (uint32_t)thread);
    uint64_t last = *author_of(word);

    return (last ^ asked) >> (thread < 0 ? THREAD_BITS : 0) == 0;
}

/* Logs the operation. A thread that spins on atomics lets the others run now and then. */
static struct lane *begin(const void *p, unsigned size, unsigned extra, const void *pc)
{
    static unsigned calls;
    static const struct lane *last;
    struct lane *lane = simt_current_lane;

    calls = lane == last ? calls + 1 : 0;
    last = lane;
    if (calls % 64 == 63 && !lane->looks_at)
        schedule_yield(lane);
    if (lane->block_scope)
        extra |= EXTRA_BLOCK_SCOPE;
    lane->block_scope = false;
    OBSERVE(operation, lane, EVENT_ATOMIC, (uintptr_t)p, size, extra, pc);
    return lane;
}

/* A lane polls when its atomics on one address change nothing several times in a row. */
enum { POLLS = 4 };

/* takes: it is one that would change another value, such as an attempt to take a lock. Who takes it
 * next is no matter of what it saw. */
static void note_change(struct lane *lane, const void *p, bool changed, bool takes)
{
    bool fences = atomic_program_has_fences();

    lane->log.changes += changed;
    if (lane->looks_at && (changed || lane->looks_at != p))
        schedule_polls_no_more(lane);
    if (changed || lane->polled != p) {
        lane->polled = changed ? NULL : p;
        lane->polls = 0;
    } else {
        lane->polls++;
    }
    if (fences && !changed && !takes && schedule_has_looked(lane))
        return;
    if (lane->polls >= POLLS) {
        schedule_wipe_stack();
        schedule_poll(lane);
    }
    if (fences && changed)
        schedule_show(lane, p);
    if (fences && lane->block->overtakes)
        schedule_overtake(lane);
}

/* Where fences are used, the order of the atomics decides who may see what (judge/race.h). */
static void end_in_order(struct lane *lane, const void *p, bool written, bool changed, bool takes,
                         const void *pc)
{
    uint64_t effect = !written ? 0 : changed ? 1 : 3;

    if (!changed && !takes)
        schedule_looks_at(lane, p);
    OBSERVE(operation, lane, EVENT_ORDER, effect, 0, 0, pc);
}

/* Without fences it is enough to know whose the last atomic on the word was. values: what was there
 * before, and the operands. */
static void finish(struct lane *lane, const void *p, bool written, bool changed, bool takes,
                   const void *values, size_t bytes, const void *pc)
{
    bool fences = atomic_program_has_fences();

    if (__builtin_expect(lane->log.values != NULL, 0))
        OBSERVE(atomic_values, lane, p, values, bytes);
    if (changed || !fences)
        *author_of(p) = author(p, lane->block->number, lane->index);
    if (fences)
        end_in_order(lane, p, written, changed, takes, pc);
    note_change(lane, p, changed, takes);
}

/* ---- the operations ---- */

/* The last argument computes `old`, and says whether the memory has changed (and, if it was not
 * even written, so). */
#define OPERANDS(...) __VA_ARGS__
#define ATOMIC(type, name, extra, parameters, operands, ...)                                       \
    type simt_atomic_##name parameters                                                             \
    {                                                                                              \
        const void *pc = __builtin_return_address(0);                                              \
        bool written = true, changed, takes = false;                                               \
        struct lane *lane = begin(p, sizeof *p, extra, pc);                                        \
        type old;                                                                                  \
        __VA_ARGS__;                                                                               \
        type values[] = {old, operands};                                                           \
        if (__builtin_expect(lane->strayed, 0))                                                    \
            stray_used(lane, values + 1, sizeof values / sizeof old - 1, sizeof old);              \
        finish(lane, p, written, changed, takes, values, sizeof values, pc);                       \
        return old;                                                                                \
    }

/* neutral: does the operand leave every value as it is? */
#define SIMPLE(name, type, extra, builtin, changes, neutral)                                       \
    ATOMIC(type, name, extra, (type * p, type v), v, {                                             \
        old = builtin(p, v, __ATOMIC_SEQ_CST);                                                     \
        changed = (changes);                                                                       \
        takes = !(neutral);                                                                        \
    })

SIMPLE(add_int, int, 0, __atomic_fetch_add, v != 0, v == 0)
SIMPLE(add_uint, unsigned, 0, __atomic_fetch_add, v != 0, v == 0)
SIMPLE(add_ull, unsigned long long, 0, __atomic_fetch_add, v != 0, v == 0)
SIMPLE(and_uint, unsigned, 0, __atomic_fetch_and, (old & ~v) != 0, ~v == 0)
SIMPLE(and_ull, unsigned long long, 0, __atomic_fetch_and, (old & ~v) != 0, ~v == 0)
SIMPLE(or_uint, unsigned, 0, __atomic_fetch_or, (v & ~old) != 0, v == 0)
SIMPLE(or_ull, unsigned long long, 0, __atomic_fetch_or, (v & ~old) != 0, v == 0)
SIMPLE(xor_uint, unsigned, 0, __atomic_fetch_xor, v != 0, v == 0)
SIMPLE(xor_ull, unsigned long long, 0, __atomic_fetch_xor, v != 0, v == 0)
SIMPLE(exch_uint, unsigned, EXTRA_EXCHANGE, __atomic_exchange_n, v != old, false)
SIMPLE(exch_ull, unsigned long long, EXTRA_EXCHANGE, __atomic_exchange_n, v != old, false)

#define CAS(name, type)                                                                            \
    ATOMIC(type, cas_##name, EXTRA_CAS, (type * p, type expected, type v), OPERANDS(expected, v),  \
           {                                                                                       \
               old = expected;                                                                     \
               written =                                                                           \
                   __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
               takes = v != expected;                                                              \
               changed = written && takes;                                                         \
           })

CAS(ushort, unsigned short)
CAS(uint, unsigned)
CAS(ull, unsigned long long)

/* new_value may use old and v. bits is the unsigned type of the same size: compare-and-swap must
 * compare bits, or a NaN would never equal itself. */
#define LOOP(name, type, bits, new_value)                                                          \
    ATOMIC(type, name, 0, (type * p, type v), v, {                                                 \
        bits before = __atomic_load_n((bits *)p, __ATOMIC_SEQ_CST), after;                         \
        type next;                                                                                 \
        do {                                                                                       \
            memcpy(&old, &before, sizeof old);                                                     \
            next = (new_value);                                                                    \
            memcpy(&after, &next, sizeof after);                                                   \
        } while (!__atomic_compare_exchange_n((bits *)p, &before, after, 0, __ATOMIC_SEQ_CST,      \
                                              __ATOMIC_SEQ_CST));                                  \
        changed = after != before;                                                                 \
    })

LOOP(add_float, float, uint32_t, old + v)
LOOP(add_double, double, uint64_t, old + v)
LOOP(min_int, int, uint32_t, v < old ? v : old)
LOOP(min_uint, unsigned, uint32_t, v < old ? v : old)
LOOP(min_ll, long long, uint64_t, v < old ? v : old)
LOOP(min_ull, unsigned long long, uint64_t, v < old ? v : old)
LOOP(max_int, int, uint32_t, v > old ? v : old)
LOOP(max_uint, unsigned, uint32_t, v > old ? v : old)
LOOP(max_ll, long long, uint64_t, v > old ? v : old)
LOOP(max_ull, unsigned long long, uint64_t, v > old ? v : old)
LOOP(inc_uint, unsigned, uint32_t, old >= v ? 0 : old + 1)
LOOP(dec_uint, unsigned, uint32_t, old == 0 || old > v ? v : old - 1)

void simt_fence(int device)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (simt_current_lane->looks_at)
        schedule_polls_no_more(simt_current_lane);
    OBSERVE(operation, simt_current_lane, EVENT_FENCE, (uint64_t)device, 0, 0,
            __builtin_return_address(0));
}

void simt_grid_dependency_wait(void)
{
    OBSERVE(operation, simt_current_lane, EVENT_FENCE, FENCE_WAIT, 0, 0,
            __builtin_return_address(0));
}

void simt_block_scope(void)
{
    simt_current_lane->block_scope = true;
}
