/* What becomes of the value that a shuffle gets from a lane which takes no
 * part. It is undefined, which matters only to who uses it: many reductions of a part of a warp
 * throw it away. (Not so where the mask names that lane, and it ends instead: whether it is still
 * there at the shuffle is chance, and if it is, it must take part.) So it is followed, by what it
 * would be after a sum, a product or the like with the lane's own value, through further shuffles,
 * into stores and atomics, where it becomes a complaint (observer.h). */
#include "run/block.h"
#include "run/observer.h"
#include "simt.h"

#include <string.h>

/* Is v what an operation of so many bits makes of the two, as integers or as floating-point? `and`,
 * and the smaller of two, may give what any other value may be, too, and are left out. */
#define COMES_OF(bits, real)                                                                       \
    static bool comes_of_##bits(uint##bits##_t v, uint##bits##_t a, uint##bits##_t b)              \
    {                                                                                              \
        union {                                                                                    \
            uint##bits##_t bits_of;                                                                \
            real value;                                                                            \
        } own = {a}, got = {b}, sum = {.value = own.value + got.value},                            \
          product = {.value = own.value * got.value};                                              \
        return v != a && (v == b || v == a + b || v == a * b || v == (a | b) || v == (a ^ b) ||    \
                          v == sum.bits_of || v == product.bits_of);                               \
    }

COMES_OF(32, float)
COMES_OF(64, double)

static struct stray *stray_of(struct lane *lane)
{
    return &lane->block->stray[lane->index];
}

/* size: of the value, 0 where only the program knows. */
static bool comes_of_stray(struct lane *lane, uint64_t value, size_t size)
{
    const struct stray *stray = stray_of(lane);

    if (!lane->strayed)
        return false;
    if (stray->own_too &&
        (size == 8 ? value == stray->own : (uint32_t)value == (uint32_t)stray->own))
        return true;
    return (size != 8 &&
            comes_of_32((uint32_t)value, (uint32_t)stray->own, (uint32_t)stray->got)) ||
           ((size == 8 || size == 0) && comes_of_64(value, stray->own, stray->got));
}

/* At the shuffle that read the stray, in the lane's warp. */
static void tell(const struct lane *lane, const struct stray *stray)
{
    struct complaint complaint = {.kind = FINDING_WARP_OPERATION,
                                  .lane = lane - lane->index % WARP_SIZE + stray->lane,
                                  .pc = stray->pc};

    observer_complain(complaint,
                      stray->ended
                          ? "Lane %d reads lane %d, which is in the mask 0x%08x but ends without\n"
                            "  a shuffle."
                          : "Lane %d reads lane %d, which takes no part by the mask 0x%08x,\n"
                            "  and the value reaches a store.",
                      stray->lane, stray->from, stray->mask);
}

static unsigned long long unnamed;

unsigned long long simt_unnamed_reads(void)
{
    return unnamed;
}

void stray_shuffled(struct lane *lanes, unsigned arrived, const int sources[WARP_SIZE])
{
    struct stray before[WARP_SIZE];
    unsigned bad = 0, any = 0;

    EACH_LANE(i, arrived)
    {
        any |= (unsigned)(lanes[i].strayed || !(arrived >> sources[i] & 1)) << i;
    }
    if (!any)
        return;
    EACH_LANE(i, arrived)
    {
        before[i] = *stray_of(&lanes[i]);
        bad |= (unsigned)comes_of_stray(&lanes[i], lanes[i].value, 0) << i;
    }
    EACH_LANE(i, arrived)
    {
        int from = sources[i];
        bool absent = !(arrived >> from & 1);
        unnamed += absent && !(lanes[i].mask >> from & 1);
        bool got_bad = absent || bad >> from & 1;
        struct stray now = before[!absent && got_bad ? from : i];
        now.ended = absent && lanes[i].mask >> from & 1 &&
                    lanes[0].index + (unsigned)from < lanes[0].block->launch->threads;
        now.own_too = got_bad && bad >> i & 1;
        now.own = got_bad ? lanes[i].value : lanes[i].result;
        now.got = got_bad ? lanes[i].result : lanes[i].value;
        if (absent) {
            now.pc = lanes[i].pc;
            now.lane = i;
            now.from = from;
            now.mask = lanes[i].mask;
        }
        lanes[i].strayed = (got_bad && !now.ended) || bad >> i & 1;
        *stray_of(&lanes[i]) = now;
        if (now.ended)
            tell(&lanes[i], &now);
    }
}

void stray_used(struct lane *lane, const void *values, size_t count, size_t size)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t value = 0;
        memcpy(&value, (const char *)values + k * size, size);
        if (!comes_of_stray(lane, value, size))
            continue;
        tell(lane, stray_of(lane));
        lane->strayed = false;
    }
}
