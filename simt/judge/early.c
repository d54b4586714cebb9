/* Asks the records of races which words the launch before touched (race.h). */
#include "judge/early.h"
#include "judge/finding.h"
#include "judge/race.h"

#include <stdio.h>
#include <string.h>

void early_block_begin(struct early *early, const struct block *block)
{
    early->block = block;
    memset(early->waited, 0, sizeof early->waited);
}

void early_wait(struct early *early, const struct warp_event *event, unsigned warp)
{
    early->waited[warp] |= event->lanes;
}

void early_meet(struct early *early, const struct warp_event *event, unsigned warp)
{
    if (early->waited[warp] & event->lanes)
        early->waited[warp] |= event->lanes;
}

void early_barrier(struct early *early)
{
    unsigned any = 0;

    for (unsigned w = 0; w < early->block->warps; w++)
        any |= early->waited[w];
    if (any)
        memset(early->waited, 0xff, sizeof early->waited);
}

static void tell(const struct early *early, const struct warp_event *event, unsigned warp, int lane,
                 bool writes)
{
    struct finding finding = {.kind = FINDING_EARLY,
                              .launch = early->block->launch,
                              .actor[0] =
                                  finding_actor(early->block, key_pc(event->key, event->depth),
                                                warp, lane, event->kind, event->size),
                              .actors = 1,
                              .address = event->address[lane]};

    snprintf(finding.detail, sizeof finding.detail,
             "Launch %u, the one before, %s this word, and may still run.",
             early->block->launch->before, writes ? "writes" : "reads");
    finding_add(&finding);
}

void early_access(const struct early *early, const struct warp_event *event, unsigned warp,
                  const size_t word[WARP_SIZE])
{
    unsigned before = early->block->launch->before;
    bool store = event->kind != EVENT_LOAD, writes;

    if (before == 0)
        return;
    for (unsigned left = event->lanes & ~early->waited[warp]; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        unsigned first = event->address[lane] % 4;
        unsigned bytes = event->size >= 4 ? 0xf : ((1u << event->size) - 1) << first & 0xf;
        for (unsigned k = 0; k < event_words(event->address[lane], event->size); k++)
            if (race_touched(word[lane] + k, bytes, before, store, &writes)) {
                tell(early, event, warp, lane, writes);
                break;
            }
    }
}
