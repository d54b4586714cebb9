/* Waits for the second of two stores. */
#include "judge/stores.h"

#include <string.h>

static struct common {
    uintptr_t address; /* where the second store goes */
    size_t size;       /* how many bytes it has so far; 0: none is waited for */
    char before[64];   /* what stood there before; of a longer structure its first bytes */
    struct pair pair;  /* the two */
} common;

bool stores_both(const struct access *old, const struct access *now)
{
    return old->kind == EVENT_STORE && now->kind == EVENT_STORE && old->bytes == now->bytes;
}

bool stores_of_one_instruction(const struct access *old, const struct access *now)
{
    return stores_both(old, now) && old->block == now->block && old->warp == now->warp &&
           old->pc == now->pc && old->time == now->time;
}

bool stores_wait(const struct touch *touch, const struct pair *pair)
{
    const struct actor *last = &common.pair.end[1], *now = &pair->end[1];

    if (last->thread != now->thread || last->block != now->block)
        stores_settle();
    if (common.size > 0 && pair->why != BY_ONE_STORE)
        return false;
    if (common.size == 0) {
        common.address = touch->address;
        common.pair = *pair;
    }
    if (touch->address != common.address + common.size ||
        common.size + touch->size > sizeof common.before)
        return true;
    memcpy(common.before + common.size, (const void *)touch->address, touch->size);
    common.size += touch->size;
    return true;
}

void stores_settle(void)
{
    if (common.size == 0)
        return;
    bool alike = memcmp(common.before, (const void *)common.address, common.size) == 0;
    if (alike && common.pair.why == BY_ONE_STORE)
        common.pair.kind = FINDING_COMMON_STORE;
    else if (alike)
        common.pair.why = OF_ONE_VALUE;
    common.size = 0;
    pairs_keep(&common.pair);
}
