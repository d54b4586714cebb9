/* Does a dependent launch touch what an earlier launch, which may still run, touches?
 *
 * Rule: a launch with the attribute cudaLaunchAttributeProgrammaticStreamSerialization may begin
 * before the launch in front of it has ended. A thread may touch that one's global memory behind
 * cudaGridDependencySynchronize(); so may threads that meet it afterwards. If the launch in front
 * did not wait either, the one before that may still run, and so on: such a thread then comes
 * behind the launch in front alone. A thread that has passed a fence is not judged, since it may
 * have waited for another thread that has.
 *
 * Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization". */
#include "judge/judge.h"
#include "judge/finding.h"

#include <string.h>

/* launch.beside: bit i stands for the launch i + 1 before this one. */
enum { LAUNCH_IN_FRONT = 1 };

static void tell(const struct lane *lane, const struct touch *touch, uint64_t beside)
{
    struct finding finding = finding_of(FINDING_EARLY, lane, touch->pc, touch->kind, touch->size);
    unsigned now = lane->block->launch->number;
    bool writes;

    for (; beside; beside &= beside - 1) {
        unsigned back = (unsigned)__builtin_ctzll(beside), launch = now - 1 - back;
        if (!race_launch_used(launch, touch->address, touch->size, touch->kind != EVENT_LOAD,
                              &writes))
            continue;
        finding_say(&finding, "Launch %u, %s, %s this word, and may still run.", launch,
                    back ? "for which the one behind it did not wait" : "the one before",
                    writes ? "writes" : "reads");
        return;
    }
}

void dependent_access(const struct dependent *dependent, const struct lane *lane,
                      const struct touch *touch)
{
    uint64_t beside = lane->block->launch->beside;
    unsigned warp = lane->index / WARP_SIZE, bit = 1u << lane->index % WARP_SIZE;

    if (dependent->waited[warp] & bit)
        beside &= ~(uint64_t)LAUNCH_IN_FRONT;
    if (beside && !touch->shared && !(dependent->fenced[warp] & bit))
        tell(lane, touch, beside);
}

void dependent_fence(struct dependent *dependent, const struct lane *lane, bool waits)
{
    unsigned *lanes = waits ? dependent->waited : dependent->fenced;

    lanes[lane->index / WARP_SIZE] |= 1u << lane->index % WARP_SIZE;
}

void dependent_meet(struct dependent *dependent, unsigned warp, unsigned lanes)
{
    if (dependent->waited[warp] & lanes)
        dependent->waited[warp] |= lanes;
    if (dependent->fenced[warp] & lanes)
        dependent->fenced[warp] |= lanes;
}

static void meet_all(unsigned lanes[MAX_WARPS], unsigned warps)
{
    unsigned any = 0;

    for (unsigned warp = 0; warp < warps; warp++)
        any |= lanes[warp];
    if (any)
        memset(lanes, 0xff, warps * sizeof *lanes);
}

void dependent_barrier(struct dependent *dependent, unsigned warps)
{
    meet_all(dependent->waited, warps);
    meet_all(dependent->fenced, warps);
}
