/* Keeps pairs, those of the same two places together. */
#include "judge/pairs.h"

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
