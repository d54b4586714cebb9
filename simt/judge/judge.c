/* Hands what happened to the checks. */
#include "judge/judge.h"
#include "judge/barrier.h"
#include "judge/finding.h"
#include "judge/garbage.h"
#include "judge/race.h"
#include "run/end.h"
#include "run/error.h"
#include "run/memory.h"
#include "watch/code.h"

#include <stdio.h>
#include <stdlib.h>

struct judge {
    const struct block *block;
    struct shared_memory shared;
    struct garbage *garbage;
    struct race *race;
    struct barrier barrier;
};

struct judge *judge_new(const struct shared_memory *shared)
{
    struct judge *judge = calloc(1, sizeof *judge);

    if (!judge)
        end_fatal("no memory for the checks; SIMT_CHECKS=off runs without");
    judge->shared = *shared;
    judge->garbage = garbage_new(space_shared_words(shared));
    judge->race = race_new(space_shared_words(shared));
    return judge;
}

void judge_block_begin(struct judge *judge, const struct block *block)
{
    judge->block = block;
    garbage_block_begin(judge->garbage, block);
    race_block_begin(judge->race, block);
    barrier_block_begin(&judge->barrier, block);
}

void judge_block_end(struct judge *judge)
{
    garbage_block_end(judge->garbage, judge->race);
}

void judge_access(struct judge *judge, const struct warp_event *event, unsigned warp,
                  enum count_space space)
{
    size_t word[WARP_SIZE];

    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uintptr_t address = event->address[lane];
        word[lane] = space == SPACE_SHARED ? space_shared_word(&judge->shared, address)
                                           : memory_word((const void *)address);
    }
    if (space == SPACE_SHARED) {
        garbage_access(judge->garbage, event, warp, word);
        race_shared(judge->race, event, warp, event->lanes, word);
    } else {
        race_global(judge->race, event, warp, event->lanes, word);
    }
}

void judge_operation(struct judge *judge, const struct warp_event *event, unsigned warp)
{
    if (event->kind == EVENT_BRANCH)
        barrier_branch(&judge->barrier, event, warp);
    else if (event->kind == EVENT_SYNCWARP)
        race_syncwarp(judge->race, event, warp);
    else if (event->kind == EVENT_FENCE)
        race_fence(judge->race, event, warp);
    else if (event->kind == EVENT_ORDER)
        race_order(judge->race, event, warp);
}

void judge_barrier(struct judge *judge, const struct lane *first, const struct lane *elsewhere)
{
    barrier_check(&judge->barrier, judge->block, first, elsewhere);
    race_barrier(judge->race);
}

void judge_stray_shuffle(const struct lane *lane, int from)
{
    int self = (int)(lane->index % WARP_SIZE);
    struct finding finding = {.kind = FINDING_WARP_OPERATION,
                              .launch = lane->block->launch,
                              .actor[0] =
                                  finding_actor(lane->block, code_offset(lane->pc),
                                                lane->index / WARP_SIZE, self, EVENT_SHUFFLE, 0),
                              .actors = 1};

    snprintf(finding.detail, sizeof finding.detail,
             "Lane %d reads lane %d, which is not in the mask 0x%08x or has ended.", self, from,
             lane->mask);
    finding_add(&finding);
}

void judge_launch_end(struct judge *const all[], int count, const struct launch *launch)
{
    struct race **races = malloc((size_t)count * sizeof(struct race *) + 1);

    if (!races)
        end_fatal("no memory for the checks; SIMT_CHECKS=off runs without");
    for (int i = 0; i < count; i++)
        races[i] = all[i]->race;
    race_judge(races, count, launch);
    free(races);
}

void judge_program_end(void)
{
    struct unseen_error unseen = error_unseen();
    struct launch launch = {.site = unseen.site};
    struct finding finding = {.kind = FINDING_UNSEEN_ERROR, .launch = &launch};

    if (unseen.error == cudaSuccess)
        return;
    snprintf(finding.detail, sizeof finding.detail, "%s: %s (%s).",
             unseen.site.kernel[0] ? "The launch failed and ran nothing" : "The call failed",
             cudaGetErrorString(unseen.error), cudaGetErrorName(unseen.error));
    finding_add(&finding);
}
