/* Finds threads that wait at different barriers, or went around one. */
#include "judge/barrier.h"
#include "judge/finding.h"
#include "watch/code.h"

#include <stdio.h>
#include <string.h>

void barrier_block_begin(struct barrier *barrier, const struct block *block)
{
    barrier->diverged = false;
    memset(barrier->judged, 0, block->launch->threads * sizeof *barrier->judged);
}

static struct actor actor_of(const struct block *block, const struct lane *lane, uint32_t pc)
{
    return finding_actor(block, pc, lane->index / WARP_SIZE, (int)(lane->index % WARP_SIZE),
                         EVENT_SYNCTHREADS, 0);
}

static void tell(struct barrier *barrier, const struct block *block, const struct lane *waits,
                 const struct lane *other, const char *what)
{
    struct finding finding = {.kind = FINDING_DIVERGENT_BARRIER,
                              .launch = block->launch,
                              .actor = {actor_of(block, waits, code_offset(waits->pc)),
                                        actor_of(block, other, other->log.last_pc)},
                              .actors = 2};

    snprintf(finding.detail, sizeof finding.detail, "%s", what);
    if (finding_same_lines(&finding))
        return;
    finding_add(&finding);
    barrier->diverged = true;
}

/* A thread that ended before it came to the barrier returned early, which is allowed. One that
 * ended at a later place of the program went around the barrier. */
static bool went_past(const struct lane *ended, const struct lane *waits)
{
    return ended->log.last != 0 && (ended->log.last & ~KEY_WAITS) > (waits->log.last & ~KEY_WAITS);
}

/* Threads that ended since the last barrier: did one go around this one? */
static void check_ended(struct barrier *barrier, const struct block *block,
                        const struct lane *waits)
{
    for (unsigned i = 0; i < block->launch->threads; i++) {
        if (barrier->judged[i] || lane_is_alive(block, i))
            continue;
        barrier->judged[i] = true;
        if (went_past(&block->lane[i], waits))
            tell(barrier, block, waits, &block->lane[i],
                 "The first waits at the barrier; the second went past it and ended.");
    }
}

void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first,
                   const struct lane *elsewhere)
{
    if (barrier->diverged)
        return;
    if (elsewhere)
        tell(barrier, block, first, elsewhere, "Both wait, at different barriers.");
    if (block->alive < block->launch->threads)
        check_ended(barrier, block, first);
}
