/* Atomic operations on device and shared memory. Threads of the host may use the same words, so
 * each operation is a loop around the processor's compare-and-swap. */
#include "run/block.h"
#include "run/memory.h"

#include <math.h>
#include <string.h>

/* ---- after each operation ---- */

/* The section of fences: each fence in the program's code leaves a byte there, 0 if its scope is
 * the block (cuda_runtime.h). */
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

/* The thread that made the last operation on a word, in programs without fences. A number has the
 * word's address in its high bits, then the block, then the thread. */
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

/* A lane polls when its atomics change nothing several times in a row: on one address, or mere
 * looks on others POLLS times, as where it looks at the flags of all blocks. */
enum { POLLS = 64, SAME_WORD = POLLS / 4 };

/* takes: the operation would change another value than the one it found, as an attempt to take a
 * lock does; which lane takes the lock next does not depend on what this one has seen. */
static void note_change(struct lane *lane, const void *p, bool changed, bool takes)
{
    bool fences = atomic_program_has_fences(), same = lane->polled == p;
    bool looks = same || (!takes && !(lane->form & SIMT_UNUSED));

    lane_activity += changed;
    if (lane->looks_at && (changed || lane->looks_at != p))
        schedule_polls_no_more(lane);
    lane->polls = changed || !looks ? 0 : lane->polls + (same ? SAME_WORD : 1);
    lane->polled = changed ? NULL : p;
    lane->form &= SIMT_UNSEEN_MASK;
    if (fences && !changed && !takes && schedule_has_looked(lane))
        return;
    if (lane->polls >= POLLS) {
        /* always the same, as it may lie on the stack, by which lanes that poll are compared */
        lane->polls = same ? POLLS - SAME_WORD : POLLS - 1;
        lane->looks_around = !same;
        schedule_wipe_stack();
        schedule_poll(lane);
    }
    if (fences && changed)
        schedule_show(lane, p);
    if (lane->block->overtakes)
        schedule_overtake(lane);
}

/* In programs with fences the order of atomics decides which accesses are ordered (judge/race.h);
 * in others it is enough to know the author of the last atomic on the word. effect, taken_from: as
 * of EVENT_ORDER. values: the old value and the operands, `count` of them, of `size` bytes each. */
static void finish(struct lane *lane, const void *p, enum effect effect, uint32_t taken_from,
                   bool takes, const void *values, size_t count, size_t size, const void *pc)
{
    bool fences = atomic_program_has_fences(), changed = effect == EFFECT_CHANGE;

    if (__builtin_expect(lane->log.values != NULL, 0))
        OBSERVE(atomic_values, lane, p, values, count * size);
    if (!fences)
        *author_of(p) = author(p, lane->block->number, lane->index);
    else if (!changed && !takes)
        schedule_looks_at(lane, p);
    if (fences)
        OBSERVE(operation, lane, EVENT_ORDER, taken_from, effect, 0, pc);
    note_change(lane, p, changed, takes);
}

/* ---- the operations ---- */

static bool is_global(const void *p)
{
    return memory_is_device(p) || symbols_near(p);
}

/* In global memory a GPU's atomics treat subnormal floats as zeros. */
static float flushed(const void *p, float f)
{
    return fpclassify(f) == FP_SUBNORMAL && is_global(p) ? copysignf(0, f) : f;
}

static uint64_t add_floats(const void *p, unsigned size, uint64_t a, uint64_t b)
{
    union {
        uint64_t bits;
        float f;
        double d;
    } x = {a}, y = {b};

    if (size == sizeof(float))
        x.f = flushed(p, flushed(p, x.f) + flushed(p, y.f));
    else
        x.d += y.d;
    return x.bits;
}

/* The operands have a number in each two bytes. */
static uint64_t add_narrow(unsigned size, uint64_t a, uint64_t b, bool half)
{
    uint64_t sums = 0;

    for (unsigned at = 0; at < 8 * size; at += 16) {
        double sum = (double)simt_narrow_to_float((unsigned short)(a >> at), half) +
                     (double)simt_narrow_to_float((unsigned short)(b >> at), half);
        sums |= (uint64_t)simt_to_narrow(sum, half, SIMT_NEAREST) << at;
    }
    return sums;
}

/* The new value, from the old one and the operands; all are bits. */
static uint64_t next_value(enum simt_atomic_op op, const void *p, unsigned size, uint64_t old,
                           uint64_t expected, uint64_t v)
{
    unsigned above = 64 - 8 * size; /* signed numbers are compared at the top of 64 bits */
    bool less = (int64_t)(v << above) < (int64_t)(old << above);

    switch (op) {
    case SIMT_ATOMIC_ADD: return old + v;
    case SIMT_ATOMIC_ADD_FLOAT: return add_floats(p, size, old, v);
    case SIMT_ATOMIC_ADD_HALF:
    case SIMT_ATOMIC_ADD_BFLOAT16: return add_narrow(size, old, v, op == SIMT_ATOMIC_ADD_HALF);
    case SIMT_ATOMIC_MIN_SIGNED: return less ? v : old;
    case SIMT_ATOMIC_MAX_SIGNED: return less ? old : v;
    case SIMT_ATOMIC_MIN: return v < old ? v : old;
    case SIMT_ATOMIC_MAX: return v > old ? v : old;
    case SIMT_ATOMIC_AND: return old & v;
    case SIMT_ATOMIC_OR: return old | v;
    case SIMT_ATOMIC_XOR: return old ^ v;
    case SIMT_ATOMIC_INC: return old >= v ? 0 : old + 1;
    case SIMT_ATOMIC_DEC: return old == 0 || old > v ? v : old - 1;
    case SIMT_ATOMIC_CAS: return old == expected ? v : old;
    default: return v;
    }
}

/* Replaces `before` by `after`, if it is still there. */
static bool replace(void *p, unsigned size, uint64_t before, uint64_t after)
{
    return size == 2   ? __sync_bool_compare_and_swap((uint16_t *)p, before, after)
           : size == 4 ? __sync_bool_compare_and_swap((uint32_t *)p, before, after)
                       : __sync_bool_compare_and_swap((uint64_t *)p, before, after);
}

/* The `extra` bits of the atomic's event (event.h). nvcc combines a warp's atomics at one address:
 * of 32 bits, additions, and, if nothing uses the result, minima, maxima and bit operations; of 64
 * bits, additions of one value. Source: the machine code of nvcc 13.0 for sm_90. */
static unsigned extra_of(enum simt_atomic_op op, const void *p, unsigned size, unsigned form,
                         bool is_one)
{
    bool adds = op == SIMT_ATOMIC_ADD || is_one;
    bool unused = op >= SIMT_ATOMIC_MIN_SIGNED && op <= SIMT_ATOMIC_XOR && form & SIMT_UNUSED;
    bool combines = size == 4 ? adds || unused : adds && form & SIMT_ONE_VALUE;
    unsigned scope = form & SIMT_OF_BLOCK ? EXTRA_BLOCK_SCOPE : 0;

    if (is_one && size == 4 && form & SIMT_UNUSED && !is_global(p))
        return scope | EXTRA_COUNTS;
    if (op == SIMT_ATOMIC_CAS || op == SIMT_ATOMIC_EXCH)
        return scope | (op == SIMT_ATOMIC_CAS ? EXTRA_CAS : EXTRA_EXCHANGE);
    bool loops =
        size == 8 || (size == 4 && op >= SIMT_ATOMIC_ADD_FLOAT && op <= SIMT_ATOMIC_ADD_BFLOAT16);
    return scope | (loops ? EXTRA_LOOPS : 0) |
           (combines && form & SIMT_ONE_ADDRESS ? EXTRA_COMBINES : 0);
}

uint64_t simt_atomic(enum simt_atomic_op op, void *p, unsigned size, uint64_t expected, uint64_t v,
                     bool is_constant)
{
    struct lane *lane = simt_current_lane;
    const void *pc = __builtin_return_address(0);
    bool cas = op == SIMT_ATOMIC_CAS;
    /* does it add 1? An increment up to a limit does where nothing is beyond the limit */
    bool is_one =
        is_constant && (op == SIMT_ATOMIC_INC ? v == UINT32_MAX : op == SIMT_ATOMIC_ADD && v == 1);
    if (STRAY_AT(lane, .kind = DEED_ATOMIC,
                 .a = (uintptr_t)p | (uint64_t)op << 48 | (uint64_t)size << 56, .b = expected,
                 .c = v))
        return lane->result;

    OBSERVE(operation, lane, EVENT_ATOMIC, (uintptr_t)p, size,
            extra_of(op, p, size, lane->form, is_one), pc);
    uint64_t all = ~(uint64_t)0 >> (64 - 8 * size), before = 0, after;

    do {
        memcpy(&before, p, size);
        after = next_value(op, p, size, before, expected, v) & all;
    } while (!replace(p, size, before, after));
    enum effect effect = cas && before != expected ? EFFECT_READ
                         : after != before         ? EFFECT_CHANGE
                                                   : EFFECT_SAME;
    bool takes = cas                     ? v != expected
                 : op == SIMT_ATOMIC_OR  ? v != 0
                 : op == SIMT_ATOMIC_AND ? v != all
                                         : op == SIMT_ATOMIC_EXCH;
    char values[3 * sizeof v];
    memcpy(values, &before, size);
    memcpy(values + size, cas ? &expected : &v, size);
    memcpy(values + 2 * size, &v, size);
    lane->result = before; /* for its shadows */
    bool locks = effect == EFFECT_CHANGE && (cas || op == SIMT_ATOMIC_EXCH);
    uint32_t taken_from = locks ? (uint32_t)(before * 0x9e3779b97f4a7c15 >> 33) | 1 : 0;
    finish(lane, p, effect, taken_from, takes, values, cas ? 3 : 2, size, pc);
    return before;
}

void simt_fence(int device)
{
    if (STRAY_AT(simt_current_lane, .kind = DEED_FENCE, .a = (uint64_t)device))
        return;
    lane_so_far.fences += device == 1; /* for all blocks */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (simt_current_lane->looks_at)
        schedule_polls_no_more(simt_current_lane);
    OBSERVE(operation, simt_current_lane, EVENT_FENCE, (uint64_t)device, 0, 0,
            __builtin_return_address(0));
}

void simt_next(unsigned form)
{
    simt_current_lane->form |= (uint8_t)form;
}
