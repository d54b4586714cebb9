/* Makes findings of deadlocks, crashes and the like. */
#define _GNU_SOURCE
#include "judge/fatal.h"
#include "judge/finding.h"
#include "judge/stall.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/source.h"

#include <stdio.h>
#include <string.h>

static struct actor actor_of(const struct lane *lane, uint32_t pc)
{
    return finding_actor(lane->block, pc, lane->index / WARP_SIZE, (int)(lane->index % WARP_SIZE),
                         EVENT_KINDS, 0);
}

/* True when they wait for the same. */
static bool same_place(const struct lane *a, const struct lane *b)
{
    return a->wait == b->wait && a->pc == b->pc && (a->wait != WAIT_WARP || a->mask == b->mask);
}

/* The first thread that waits and, if there is one, the first that waits elsewhere. */
static void find_deadlock(struct finding *finding, const struct block *block)
{
    struct block *blocks[] = {(struct block *)block};
    const struct stall stall = {.launch = block->launch, .blocks = blocks, .count = 1};
    const struct lane *waits = NULL;

    for (unsigned i = 0; i < block->launch->threads && finding->actors < 2; i++) {
        const struct lane *lane = &block->lane[i];
        if (!lane_is_alive(block, i) || (waits && same_place(waits, lane)))
            continue;
        waits = lane;
        finding->actor[finding->actors++] = actor_of(lane, code_offset(lane->pc));
    }
    size_t room = sizeof finding->detail - 32, ended = block->launch->threads - block->alive;
    size_t used = strlen(stall_places(&stall, ",\n  ", finding->detail, room));
    snprintf(finding->detail + used, 32, ended ? ", %zu have ended." : ".", ended);
}

/* Of a crash at pc, or, when that is not in the source (a library's function), of the last access:
 * what to look up. */
static uint32_t crash_place(const struct lane *lane, const void *pc)
{
    struct source_line place = source_line_at(code_offset(pc) + 1);
    size_t length = strlen(place.file);
    bool in_library = length > 2 && strcmp(place.file + length - 2, ".c") == 0;

    return place.line == 0 || in_library ? log_last_pc(&lane->log) : code_offset(pc) + 1;
}

/* The operating system gives no memory below. */
enum { NEAR_NULL = 64 * 1024 };

/* An unsigned index of 32 bits that went below 0 leads 2^32 elements behind what lies in front of
 * an array. */
static bool describe_wrapped(const char *address, char *text, size_t room)
{
    uintptr_t begin, end;

    for (size_t size = 1; size <= 16; size *= 2)
        for (size_t before = size; before <= 512; before += size)
            if (memory_allocation(address - (size << 32) + before, &begin, &end)) {
                snprintf(
                    text, room,
                    "The address is 2^32 elements of %zu bytes behind what lies %zu bytes "
                    "before\n  an allocation of %zu bytes: has an unsigned index gone below 0?",
                    size, before, end - begin);
                return true;
            }
    return false;
}

/* What kind of crash: where there is no memory, the judge has told before the access was made, with
 * its address (bounds.c), unless checks are off. */
static void find_crash(struct finding *finding, const struct lane *lane, const void *address,
                       const void *pc)
{
    size_t room = sizeof finding->detail;

    finding->actor[0] = actor_of(lane, crash_place(lane, pc));
    if (address == FATAL_SOMEWHERE) {
        finding->kind = FINDING_MISALIGNED;
    } else if (symbols_near(address)) {
        finding->kind = FINDING_GLOBAL_BOUNDS;
        symbols_describe(address, finding->detail, room);
    } else if (address && (uintptr_t)address < NEAR_NULL) {
        snprintf(finding->detail, room, "The address is %p, a null pointer plus %zu byte%s.",
                 address, (size_t)address, (size_t)address == 1 ? "" : "s");
    } else if (!describe_wrapped(address, finding->detail, room)) {
        snprintf(finding->detail, room, "The address is %p.", address);
    }
}

/* A limit of the backend: why nothing more is judged. */
static void not_judged(const struct fatal *fatal)
{
    struct source_line line;
    char outer[128], inner[128];

    source_kernel(&fatal->block->launch->site, outer, sizeof outer);
    if (fatal->kind == FATAL_NESTED) {
        end_not_judged("kernel %s launches kernel %s (%s:%d): a kernel launched by a kernel is not "
                       "supported",
                       outer, source_kernel(fatal->site, inner, sizeof inner), fatal->site->file,
                       fatal->site->line);
        return;
    }
    line = source_line_at(crash_place(fatal->lane, fatal->pc));
    end_not_judged(
        "kernel %s needs more than the 512 KiB that a thread has for its local variables "
        "and calls (%s:%d): put large arrays into global memory, and replace deep "
        "recursion by a loop",
        outer, line.file, line.line);
}

void fatal_judge(const struct fatal *fatal)
{
    static const enum finding_kind kind_of[] = {[FATAL_DEADLOCK] = FINDING_DEADLOCK,
                                                [FATAL_MASK] = FINDING_WARP_OPERATION,
                                                [FATAL_TRAP] = FINDING_TRAP,
                                                [FATAL_ASSERT] = FINDING_ASSERT,
                                                [FATAL_ACCESS] = FINDING_NO_MEMORY};
    const struct lane *lane = fatal->lane;

    if (fatal->kind > FATAL_ACCESS) {
        not_judged(fatal);
        return;
    }
    struct finding finding = {
        .kind = kind_of[fatal->kind], .launch = fatal->block->launch, .actors = lane != NULL};
    if (lane)
        finding.actor[0] = actor_of(lane, code_offset(fatal->pc));
    if (fatal->kind == FATAL_DEADLOCK)
        find_deadlock(&finding, fatal->block);
    else if (fatal->kind == FATAL_ACCESS)
        find_crash(&finding, lane, fatal->address, fatal->pc);
    else if (fatal->kind == FATAL_MASK)
        snprintf(finding.detail, sizeof finding.detail,
                 "Thread %u, lane %u of its warp, calls it with mask 0x%08x.", lane->index,
                 lane->index % WARP_SIZE, fatal->mask);
    else if (fatal->kind == FATAL_ASSERT)
        snprintf(finding.detail, sizeof finding.detail, "%s does not hold.", fatal->condition);
    if (fatal->kind == FATAL_ASSERT)
        finding.line[0] = (struct source_line){fatal->file, fatal->line};
    /* a misaligned access has been told before it was made, unless checks are off */
    if (finding.kind != FINDING_MISALIGNED || !finding_any())
        finding_add(&finding);
}
