/* Does a thread touch what a memcpy_async copies, before the copy was waited for?
 *
 * Rule: from memcpy_async until the thread that called it has waited (cg::wait), the copy may read
 * its source and write its destination at any time. An access of any thread to the destination
 * races with it, and so does a store or atomic to the source.
 *
 * Source: CUDA C++ Programming Guide, "Asynchronous Data Copies". */
#include "judge/judge.h"
#include "judge/finding.h"

/* Do the access and size bytes at p overlap? */
static bool overlaps(const struct lane_access *access, const void *p, unsigned size)
{
    uintptr_t begin = (uintptr_t)p;

    return access->address < begin + size && begin < access->address + access->size;
}

void memcpy_async_access(const struct lane *lane, const struct lane_access *access)
{
    const struct copies *copies = &lane->block->copies;

    for (const struct copy *c = copies->copy; c < copies->copy + copies->count; c++) {
        bool to = overlaps(access, c->to, c->size);
        if (!to && (access->kind == EVENT_LOAD || !overlaps(access, c->from, c->size)))
            continue;
        struct finding finding = {
            .kind = to ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
            .launch = lane->block->launch,
            .actor = {finding_actor(&lane->block->lane[c->thread], code_offset(c->pc),
                                    to ? EVENT_STORE : EVENT_LOAD, c->size),
                      finding_actor(lane, access->pc, access->kind, access->size)},
            .actors = 2};
        finding_say(
            &finding,
            "The first is a copy by memcpy_async, which may still be on its way: wait for it.");
        return;
    }
}
