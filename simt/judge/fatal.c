/* Makes findings of deadlocks, crashes and the like. */
#define _GNU_SOURCE
#include "judge/fatal.h"
#include "judge/finding.h"
#include "judge/stall.h"
#include "run/end.h"
#include "run/symbols.h"
#include "watch/code.h"
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

/* The processor stops at a misaligned access of 16 bytes, and does not say where: that of the
 * lane's last access, or of the one before, as a copy reads and writes. NULL: neither is. */
static const void *misaligned_address(const struct lane *lane)
{
    int looked = 0;

    for (const struct event *e = lane->log.next; e-- > lane->log.begin && looked < 2;) {
        if (!event_is_access(e->kind))
            continue;
        if (e->address % e->size != 0)
            return (const void *)(uintptr_t)e->address;
        looked++;
    }
    return NULL;
}

static void find_crash(struct finding *finding, const struct lane *lane, const void *address,
                       const void *pc)
{
    uint32_t place = crash_place(lane, pc);

    finding->actor[0] = actor_of(lane, place);
    if (finding->kind == FINDING_NO_MEMORY && !address && lane->log.begin &&
        (address = misaligned_address(lane)) != NULL)
        finding->kind = FINDING_MISALIGNED;
    if (finding->kind == FINDING_GLOBAL_BOUNDS)
        symbols_describe(address, finding->detail, sizeof finding->detail);
    else if (finding->kind == FINDING_NO_MEMORY && address && (uintptr_t)address < NEAR_NULL)
        snprintf(finding->detail, sizeof finding->detail,
                 "The address is %p, a null pointer plus %zu byte%s.", address, (size_t)address,
                 (size_t)address == 1 ? "" : "s");
    else if (finding->kind != FINDING_STACK)
        snprintf(finding->detail, sizeof finding->detail, "The address is %p.", address);
}

void fatal_report(const struct fatal *fatal)
{
    static const enum finding_kind kind_of[] = {
        [FATAL_DEADLOCK] = FINDING_DEADLOCK, [FATAL_MASK] = FINDING_WARP_OPERATION,
        [FATAL_TRAP] = FINDING_TRAP,         [FATAL_ASSERT] = FINDING_ASSERT,
        [FATAL_ACCESS] = FINDING_NO_MEMORY,  [FATAL_STACK] = FINDING_STACK};
    struct finding finding = {.kind = kind_of[fatal->kind], .launch = fatal->block->launch};
    const struct lane *lane = fatal->lane;
    bool crash = fatal->kind == FATAL_ACCESS || fatal->kind == FATAL_STACK;

    if (fatal->kind == FATAL_ACCESS && symbols_near(fatal->address))
        finding.kind = FINDING_GLOBAL_BOUNDS;
    end_begin();
    finding.actors = lane != NULL;
    if (lane)
        finding.actor[0] = actor_of(lane, code_offset(fatal->pc));
    if (fatal->kind == FATAL_DEADLOCK)
        find_deadlock(&finding, fatal->block);
    else if (crash)
        find_crash(&finding, lane, fatal->address, fatal->pc);
    else if (fatal->kind == FATAL_MASK)
        snprintf(finding.detail, sizeof finding.detail,
                 "Thread %u, lane %u of its warp, calls it with mask 0x%08x.", lane->index,
                 lane->index % WARP_SIZE, fatal->mask);
    else if (fatal->kind == FATAL_ASSERT)
        snprintf(finding.detail, sizeof finding.detail, "%s does not hold.", fatal->condition);
    if (fatal->kind == FATAL_ASSERT)
        finding.line[0] = (struct source_line){fatal->file, fatal->line};
    if (!crash || !finding_tells_crash(&finding))
        finding_add(&finding);
    finding_print();
    end_now(EXIT_BUG);
}
