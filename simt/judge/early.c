/* Asks the records of races which words the launch before touched (race.h). */
#include "judge/early.h"
#include "judge/finding.h"

#include <stdio.h>
#include <string.h>

void early_block_begin(struct early *early, const struct block *block)
{
    early->block = block;
    memset(early->waited, 0, sizeof early->waited);
}

void early_wait(struct early *early, unsigned thread)
{
    early->waited[thread / WARP_SIZE] |= 1u << thread % WARP_SIZE;
}

void early_meet(struct early *early, unsigned warp, unsigned lanes)
{
    if (early->waited[warp] & lanes)
        early->waited[warp] |= lanes;
}

void early_barrier(struct early *early)
{
    unsigned any = 0;

    for (unsigned w = 0; w < early->block->warps; w++)
        any |= early->waited[w];
    if (any)
        memset(early->waited, 0xff, sizeof early->waited);
}

static void tell(const struct early *early, const struct touch *touch, bool writes)
{
    struct finding finding = {.kind = FINDING_EARLY,
                              .launch = early->block->launch,
                              .actor[0] = race_actor(early->block, touch),
                              .actors = 1,
                              .address = touch->address};

    finding_say(&finding, "Launch %u, the one before, %s this word, and may still run.",
                early->block->launch->before, writes ? "writes" : "reads");
}

void early_access(const struct early *early, const struct touch *touch)
{
    unsigned before = early->block->launch->before;
    bool store = touch->kind != EVENT_LOAD, writes;

    if (before == 0 || early->waited[touch->thread / WARP_SIZE] >> touch->thread % WARP_SIZE & 1)
        return;
    for (unsigned k = 0; k < event_words(touch->address, touch->size); k++)
        if (race_touched(touch->word + k, event_bytes(touch->address, touch->size, k), before,
                         store, &writes)) {
            tell(early, touch, writes);
            return;
        }
}
