/* Makes findings of what a kernel cannot go on after: crashes, deadlocks within a block, failed
 * asserts. The kinds and their rules are in FINDINGS.md. */
#include "judge/judge.h"
#include "run/end.h"
#include "run/runtime.h"
#include "run/symbols.h"

/* Of a deadlock: the first thread that waits and, if any does, the first that waits elsewhere. */
static void find_deadlock(struct finding *finding, const struct block *block)
{
    const struct stall stall = {.launch = block->launch, .block = block, .running = 1};
    size_t ended = block->launch->threads - block->alive;
    const struct lane *first = NULL;

    for (const struct lane *lane = block->lane;
         lane < block->lane + block->launch->threads && finding->actors < 2; lane++) {
        bool same = first && first->wait == lane->wait && first->pc == lane->pc &&
                    (first->wait != WAIT_WARP || first->mask == lane->mask);
        if (!lane_is_alive(block, lane->index) || same)
            continue;
        first = lane;
        finding->actor[finding->actors++] =
            finding_actor(lane, code_offset(lane->pc), EVENT_KINDS, 0);
    }
    finding_write(finding, ended ? "%s, %zu have ended." : "%s.", stall_places(&stall), ended);
}

/* The place to tell: of a crash at pc or, if that is not in the program, of the last access. */
static uint32_t crash_place(const struct lane *lane, const void *pc)
{
    return end_in_program(pc) ? code_offset(pc) + 1 : log_last_pc(&lane->log);
}

/* The operating system maps no memory below. */
enum { NEAR_NULL = 64 * 1024 };

/* Null, or a little behind it, as an element of an array that could not be allocated. */
static bool say_null(struct finding *finding, const char *address)
{
    size_t bytes = (uintptr_t)address, count;
    const struct refusal *refusals = error_refusals(&count);

    if (bytes >= NEAR_NULL)
        return false;
    finding_write(finding, "The address is a null pointer plus %zu byte%s", bytes,
                  bytes == 1 ? "" : "s");
    while (count > 0 && !refusals[count - 1].unseen)
        count--;
    if (count > 0)
        finding_write(finding, ": the call at %s:%d failed, and nobody looked",
                      refusals[count - 1].site.file, refusals[count - 1].site.line);
    finding_write(finding, ".");
    return true;
}

/* The kind of a crash. With checks on, an access to no memory comes here before it is made
 * (bounds.c); with checks off the processor has stopped it. */
static void find_crash(struct finding *finding, const struct lane *lane, const void *address,
                       bool called)
{
    const struct event last = log_last(&lane->log);
    /* an unsigned index that went below 0 is right modulo 4 GiB, for elements of up to 4 KiB */
    uintptr_t a = (uintptr_t)address, shared = space_shared.begin - NEAR_NULL;
    bool in_shared = (uint32_t)(a - shared) < space_shared.end - shared && (a - shared) >> 44 == 0;
    const char *function;

    if (symbols_is_mark(address, &function)) {
        finding->kind = FINDING_HOST_CODE;
        finding_write(finding,
                      function
                          ? "The host took the address of %s, and handed it over."
                          : "The object was made by the host, and so its virtual functions are.",
                      function);
    } else if (called) {
        finding_write(finding,
                      address ? "A function is called by a pointer, %p, at which there is "
                                "no code."
                              : "A function is called by a null pointer: has anybody set "
                                "it, on the device?",
                      address);
    } else if (address == FATAL_SOMEWHERE && last.size > 0 && last.address % last.size != 0) {
        finding->kind = FINDING_MISALIGNED;
    } else if (address == FATAL_SOMEWHERE) {
        finding_write(finding, "No memory can have such an address, or it is no multiple of the "
                               "access's size.");
    } else if (!symbols_near(address) && say_null(finding, address)) {
        return;
    } else if (symbols_near(address) || memory_is_near(address)) {
        finding->kind = FINDING_GLOBAL_BOUNDS;
        finding_write(finding, "%s", memory_describe(address));
    } else if (in_shared || (a >> 44 == 0 && symbols_near((void *)(a & UINT32_MAX)))) {
        finding->kind = in_shared ? FINDING_SHARED_BOUNDS : FINDING_GLOBAL_BOUNDS;
        finding_write(finding, "An unsigned index has gone below 0.");
    } else {
        finding_write(finding, "The address is %p.", address);
    }
}

void fatal_judge(const struct fatal *fatal)
{
    const struct lane *lane = fatal->lane;
    bool crashed = fatal->kind == FINDING_DIVISION || fatal->kind == FINDING_NO_MEMORY;

    if (fatal->limit) { /* of the backend: no finding */
        struct source_line line = source_line_at(crash_place(lane, fatal->pc));
        end_not_judged("kernel %s (%s:%d) %s", source_kernel(&fatal->block->launch->site),
                       line.file, line.line, fatal->limit);
    }
    if (fatal->kind == FINDING_KINDS)
        return;
    struct finding finding = {
        .kind = fatal->kind, .launch = *fatal->block->launch, .actors = lane != NULL};
    if (lane)
        finding.actor[0] = finding_actor(
            lane, crashed ? crash_place(lane, fatal->pc) : code_offset(fatal->pc), EVENT_KINDS, 0);
    if (fatal->kind == FINDING_DEADLOCK)
        find_deadlock(&finding, fatal->block);
    else if (fatal->kind == FINDING_NO_MEMORY)
        find_crash(&finding, lane, fatal->address, fatal->called);
    else if (fatal->kind == FINDING_WARP_OPERATION && lane->group)
        finding_write(&finding,
                      "Thread %u, lane %u of its warp, is none of the %s, whose lanes are 0x%08x.",
                      lane->index, lane->index % WARP_SIZE,
                      lane->group == SIMT_TILE ? "tile" : "coalesced group", lane->mask);
    else if (fatal->kind == FINDING_WARP_OPERATION)
        finding_write(&finding, "Thread %u, lane %u of its warp, calls it with mask 0x%08x.",
                      lane->index, lane->index % WARP_SIZE, lane->mask);
    if (fatal->kind == FINDING_ASSERT)
        finding_write(&finding, "%s does not hold.", fatal->condition);
    if (fatal->file)
        finding.line[0] = (struct source_line){fatal->file, fatal->line};
    /* with checks on, a misaligned access was told before it was made */
    if (finding.kind != FINDING_MISALIGNED || !finding_any())
        finding_add(&finding);
}
