/* Atomic operations on device and shared memory. The host's threads may use the same words, so each
 * is a loop of the processor's compare-and-swap. */
#define _GNU_SOURCE
#include "run/atomic.h"
#include "run/block.h"
#include "run/observer.h"
#include "run/schedule.h"

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
    lane->polls = changed || lane->polled != p ? 0 : lane->polls + 1;
    lane->polled = changed ? NULL : p;
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

/* Where fences are used, the order of the atomics decides who may see what (judge/race.h); without
 * them it is enough to know whose the last atomic on the word was. effect: as of EVENT_ORDER;
 * values: what was there before, and the operands, of `size` bytes each. */
static void finish(struct lane *lane, const void *p, unsigned effect, bool takes,
                   const void *values, size_t count, size_t size, const void *pc)
{
    bool fences = atomic_program_has_fences(), changed = effect == 1;

    if (__builtin_expect(lane->strayed, 0))
        stray_used(lane, (const char *)values + size, count - 1, size);
    if (__builtin_expect(lane->log.values != NULL, 0))
        OBSERVE(atomic_values, lane, p, values, count * size);
    if (changed || !fences)
        *author_of(p) = author(p, lane->block->number, lane->index);
    if (fences && !changed && !takes)
        schedule_looks_at(lane, p);
    if (fences)
        OBSERVE(operation, lane, EVENT_ORDER, effect, 0, 0, pc);
    note_change(lane, p, changed, takes);
}

/* ---- the operations ---- */

/* Of this type, whose values are compared by their bits, or a NaN would never equal itself. next:
 * what will be there, of `old` and the operands; writes: is it written at all? */
#define ATOMIC(name, type, bits, extra, parameters, next, writes, takes, ...)                      \
    type simt_atomic_##name parameters                                                             \
    {                                                                                              \
        const void *pc = __builtin_return_address(0);                                              \
        struct lane *lane = begin(p, sizeof *p, extra, pc);                                        \
        bits before = __atomic_load_n((bits *)p, __ATOMIC_SEQ_CST), after;                         \
        type old, new;                                                                             \
        do {                                                                                       \
            memcpy(&old, &before, sizeof old);                                                     \
            new = (next);                                                                          \
            memcpy(&after, &new, sizeof after);                                                    \
        } while (!__atomic_compare_exchange_n((bits *)p, &before, after, 0, __ATOMIC_SEQ_CST,      \
                                              __ATOMIC_SEQ_CST));                                  \
        type values[] = {old, __VA_ARGS__};                                                        \
        finish(lane, p,                                                                            \
               !(writes)         ? 0                                                               \
               : after != before ? 1                                                               \
                                 : 3,                                                              \
               takes, values, sizeof values / sizeof old, sizeof old, pc);                         \
        return old;                                                                                \
    }

#define SIMPLE(name, type, bits, next, takes)                                                      \
    ATOMIC(name, type, bits, 0, (type * p, type v), next, true, takes, v)
#define EXCHANGE(name, type)                                                                       \
    ATOMIC(exch_##name, type, type, EXTRA_EXCHANGE, (type * p, type v), v, true, true, v)
#define CAS(name, type)                                                                            \
    ATOMIC(cas_##name, type, type, EXTRA_CAS, (type * p, type expected, type v),                   \
           old == expected ? v : old, old == expected, v != expected, expected, v)

SIMPLE(add_int, int, uint32_t, (int)((unsigned)old + (unsigned)v), v != 0)
SIMPLE(add_uint, unsigned, uint32_t, old + v, v != 0)
SIMPLE(add_ull, unsigned long long, uint64_t, old + v, v != 0)
SIMPLE(add_float, float, uint32_t, old + v, false)
SIMPLE(add_double, double, uint64_t, old + v, false)
SIMPLE(and_uint, unsigned, uint32_t, old &v, ~v != 0)
SIMPLE(and_ull, unsigned long long, uint64_t, old &v, ~v != 0)
SIMPLE(or_uint, unsigned, uint32_t, old | v, v != 0)
SIMPLE(or_ull, unsigned long long, uint64_t, old | v, v != 0)
SIMPLE(xor_uint, unsigned, uint32_t, old ^ v, v != 0)
SIMPLE(xor_ull, unsigned long long, uint64_t, old ^ v, v != 0)
SIMPLE(min_int, int, uint32_t, v < old ? v : old, false)
SIMPLE(min_uint, unsigned, uint32_t, v < old ? v : old, false)
SIMPLE(min_ll, long long, uint64_t, v < old ? v : old, false)
SIMPLE(min_ull, unsigned long long, uint64_t, v < old ? v : old, false)
SIMPLE(max_int, int, uint32_t, v > old ? v : old, false)
SIMPLE(max_uint, unsigned, uint32_t, v > old ? v : old, false)
SIMPLE(max_ll, long long, uint64_t, v > old ? v : old, false)
SIMPLE(max_ull, unsigned long long, uint64_t, v > old ? v : old, false)
SIMPLE(inc_uint, unsigned, uint32_t, old >= v ? 0 : old + 1, false)
SIMPLE(dec_uint, unsigned, uint32_t, old == 0 || old > v ? v : old - 1, false)
EXCHANGE(uint, unsigned)
EXCHANGE(ull, unsigned long long)
CAS(ushort, unsigned short)
CAS(uint, unsigned)
CAS(ull, unsigned long long)

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
