/* Keeps pairs, those of the same two places together, and waits for the second of two stores. */
#include "judge/pairs.h"

#include <string.h>

struct entries pairs_groups;

struct actor pairs_actor(const struct access *a, unsigned lanes)
{
    int size = a->wide ? 4 << a->wide : __builtin_popcount(a->bytes);

    return (struct actor){.pc = a->pc,
                          .block = a->block,
                          .thread = (uint16_t)(a->warp * WARP_SIZE + __builtin_ctz(lanes)),
                          .operation = (uint8_t)a->kind,
                          .size = (uint8_t)size};
}

void pairs_keep(const struct pair *pair)
{
    uint64_t places = (uint64_t)pair->end[0].pc << 32 | pair->end[1].pc;
    struct pair_group *g = entries_at(&pairs_groups, sizeof *g, places, 0);

    g->count++;
    if (array_room((void **)&g->pair, g->kept, &g->room, PAIRS_KEPT, sizeof *g->pair))
        g->pair[g->kept++] = *pair;
}

/* ---- two stores ---- */

static struct common {
    uintptr_t address; /* where the second store goes */
    size_t size;       /* how many bytes it has so far; 0: none is waited for */
    char before[64];   /* what stood there before; of a longer structure its first bytes */
    struct pair pair;  /* the two */
} common;

bool pairs_both_store(const struct access *old, const struct access *now)
{
    return old->kind == EVENT_STORE && now->kind == EVENT_STORE && old->bytes == now->bytes;
}

bool pairs_of_one_instruction(const struct access *old, const struct access *now)
{
    return pairs_both_store(old, now) && old->block == now->block && old->warp == now->warp &&
           old->pc == now->pc && old->time == now->time;
}

bool pairs_wait(const struct touch *touch, const struct pair *pair)
{
    const struct actor *last = &common.pair.end[1], *now = &pair->end[1];

    if (last->thread != now->thread || last->block != now->block)
        pairs_settle();
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

void pairs_settle(void)
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
