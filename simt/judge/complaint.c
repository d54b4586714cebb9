/* Makes findings of wrong calls, unseen errors, deadlocks and crashes. */
#define _GNU_SOURCE
#include "judge/judge.h"
#include "judge/finding.h"
#include "run/code.h"
#include "run/end.h"
#include "run/error.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/source.h"

#include <stdlib.h>
#include <string.h>

/* ---- what others saw ---- */

static void say_why(struct finding *finding, const struct complaint *refusal)
{
    struct source_line freed =
        refusal->freed ? source_line_at(code_offset(refusal->freed)) : (struct source_line){"", 0};

    finding_write(finding, refusal->freed ? "%s (freed at %s:%d)." : "%s", refusal->text,
                  freed.file, freed.line);
}

void complaint_judge(const struct complaint *complaint)
{
    const struct lane *lane = complaint->lane;
    enum finding_kind kind = complaint->kind;
    unsigned operation = kinds[kind].family == KIND_WARP ? EVENT_SHUFFLE : EVENT_KINDS;
    const struct launch call = {.site = complaint->site};
    struct finding finding = {.kind = kind, .actors = complaint->pc != NULL};

    if (lane)
        finding.actor[0] = finding_actor(lane, code_offset(complaint->pc), operation, 0);
    else if (complaint->pc)
        finding.actor[0] = finding_host(complaint->pc, operation, 0);
    finding.launch = lane ? lane->block->launch : complaint->pc ? NULL : &call;
    say_why(&finding, complaint);
    finding_add(&finding);
}

/* ---- a grid and block that seem exchanged ---- */

static bool is_line(dim3 size)
{
    return size.y == 1 && size.z == 1;
}

/* Is the dynamic shared memory an element for each thread, if there were as many as blocks, and
 * more for each of those that there are? */
static bool fits_exchanged(const struct launch *launch)
{
    size_t each = launch->shared / launch->grid.x;

    return launch->shared % launch->grid.x == 0 && each >= 1 && each <= 16 &&
           (each & (each - 1)) == 0 && launch->shared > 16 * (size_t)launch->block.x;
}

void complaint_exchanged(const struct launch *launch, size_t idle)
{
    unsigned blocks = launch->grid.x, threads = launch->block.x;
    struct finding finding = {.kind = FINDING_EXCHANGED, .launch = launch};
    bool likely = is_line(launch->grid) && is_line(launch->block) && threads < WARP_SIZE &&
                  blocks % WARP_SIZE == 0 && blocks <= MAX_LANES;

    if (!likely || idle == blocks ||
        ((idle == 0 || idle * threads >= blocks) && !fits_exchanged(launch)))
        return;
    finding_write(&finding, "%u blocks of %u thread%s", blocks, threads, threads > 1 ? "s" : "");
    finding_say(&finding, idle ? ", of which %zu blocks touched no memory." : ".", idle);
}

/* ---- the program's end ---- */

static void tell_unseen(const struct refusal *unseen)
{
    struct launch launch = {.site = unseen->site};
    struct finding finding = {
        .kind = FINDING_UNSEEN_ERROR, .launch = &launch, .behind = unseen->behind};

    finding_write(&finding, "The %s %s (%s).%s",
                  unseen->site.kernel[0] ? "launch failed and ran nothing:\n " : "call failed:",
                  cudaGetErrorString(unseen->error), cudaGetErrorName(unseen->error),
                  unseen->why.text[0] ? "\n  " : "");
    say_why(&finding, &unseen->why);
    finding_add(&finding);
}

/* Errors that nobody looked at, with why if that is known. Other calls that were refused are notes;
 * where the program ends well, and has told nobody of an error, they are its own affair. */
void complaint_program_end(int status)
{
    size_t count;
    const struct refusal *refusals = error_refusals(&count);
    bool failed = status != 0 || error_was_told();

    for (size_t i = 0; i < count; i++)
        if (refusals[i].unseen)
            tell_unseen(&refusals[i]);
    for (size_t i = 0; i < count && failed; i++)
        if (!refusals[i].unseen && refusals[i].why.text[0])
            complaint_judge(&refusals[i].why);
}

/* ---- what a kernel cannot go on after ---- */

/* The first thread that waits and, if there is one, the first that waits elsewhere. */
static void find_deadlock(struct finding *finding, const struct block *block)
{
    struct block *blocks[] = {(struct block *)block};
    const struct stall stall = {.launch = block->launch, .blocks = blocks, .count = 1};
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
    stall_places(&stall, ",\n  ", finding->detail, sizeof finding->detail);
    finding_write(finding, ended ? ", %zu have ended." : ".", ended);
}

/* Of a crash at pc, or, when that is not in the program, of the last access: what to look up. */
static uint32_t crash_place(const struct lane *lane, const void *pc)
{
    return crash_in_program(pc) ? code_offset(pc) + 1 : log_last_pc(&lane->log);
}

/* The operating system gives no memory below. */
enum { NEAR_NULL = 64 * 1024 };

/* An unsigned index of 32 bits that went below 0, by a row at most, leads 2^32 elements behind what
 * lies in front of an array. */
static bool say_wrapped(struct finding *finding, const char *address)
{
    enum { ROW = 1 << 22 };

    for (size_t size = 1; size <= 16; size *= 2) {
        const char *meant = address - (size << 32);
        struct memory memory = memory_behind(meant, ROW * size);
        if (memory.size == 0)
            continue;
        finding_write(finding,
                      "The address is 2^32 elements of %zu bytes behind what lies %zu "
                      "bytes before\n  an allocation of %zu bytes: has an unsigned index "
                      "gone below 0?",
                      size, memory.begin - (uintptr_t)meant, memory.size);
        return true;
    }
    return false;
}

/* Null, or a little behind it, as an element of an array that could not be had is. */
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
        finding_write(finding, ":\n  the call at %s:%d failed, and nobody looked",
                      refusals[count - 1].site.file, refusals[count - 1].site.line);
    finding_write(finding, ".");
    return true;
}

/* What kind of crash: where there is no memory, the judge has told before the access was made, with
 * its address (bounds.c), unless checks are off. */
static void find_crash(struct finding *finding, const void *address, bool called)
{
    const char *function;

    if (code_of_host(address, &function)) {
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
    } else if (address == FATAL_MISALIGNED) {
        finding->kind = FINDING_MISALIGNED;
    } else if (address == FATAL_SOMEWHERE) {
        finding_write(finding, "No memory can have such an address.");
    } else if (symbols_near(address)) {
        finding->kind = FINDING_GLOBAL_BOUNDS;
        memory_describe(address, finding->detail, sizeof finding->detail);
    } else if (!say_null(finding, address) && !say_wrapped(finding, address)) {
        if (memory_is_near(address)) {
            finding->kind = FINDING_GLOBAL_BOUNDS;
            memory_describe(address, finding->detail, sizeof finding->detail);
        } else {
            finding_write(finding, "The address is %p.", address);
        }
    }
}

/* A limit of the backend: why nothing more is judged. */
static void not_judged(const struct fatal *fatal)
{
    struct source_line line = source_line_at(crash_place(fatal->lane, fatal->pc));
    char kernel[128];

    source_kernel(&fatal->block->launch->site, kernel, sizeof kernel);
    end_not_judged(fatal->kind == FATAL_OVERFLOW
                       ? "kernel %s divides the smallest integer by -1 or 0 (%s:%d), where this "
                         "processor stops"
                       : "kernel %s needs more than the 512 KiB that a thread has for its local "
                         "variables and calls (%s:%d): put large arrays into global memory, and "
                         "replace deep recursion by a loop",
                   kernel, line.file, line.line);
}

void complaint_fatal(const struct fatal *fatal)
{
    static const enum finding_kind kind_of[] = {
        [FATAL_DEADLOCK] = FINDING_DEADLOCK, [FATAL_MASK] = FINDING_WARP_OPERATION,
        [FATAL_TRAP] = FINDING_TRAP,         [FATAL_ASSERT] = FINDING_ASSERT,
        [FATAL_RETURN] = FINDING_RETURN,     [FATAL_GRID] = FINDING_GRID_SYNC,
        [FATAL_DIVISION] = FINDING_DIVISION, [FATAL_ACCESS] = FINDING_NO_MEMORY};
    const struct lane *lane = fatal->lane;

    if (fatal->kind > FATAL_ACCESS) {
        not_judged(fatal);
        return;
    }
    struct finding finding = {
        .kind = kind_of[fatal->kind], .launch = fatal->block->launch, .actors = lane != NULL};
    if (lane)
        finding.actor[0] = finding_actor(
            lane,
            fatal->kind < FATAL_DIVISION ? code_offset(fatal->pc) : crash_place(lane, fatal->pc),
            EVENT_KINDS, 0);
    if (fatal->kind == FATAL_DEADLOCK)
        find_deadlock(&finding, fatal->block);
    else if (fatal->kind == FATAL_ACCESS)
        find_crash(&finding, fatal->address, fatal->called);
    else if (fatal->kind == FATAL_MASK && lane->group)
        finding_write(&finding,
                      "Thread %u, lane %u of its warp, is none of the %s, whose lanes are 0x%08x.",
                      lane->index, lane->index % WARP_SIZE,
                      lane->group == SIMT_TILE ? "tile" : "coalesced group", fatal->mask);
    else if (fatal->kind == FATAL_MASK)
        finding_write(&finding, "Thread %u, lane %u of its warp, calls it with mask 0x%08x.",
                      lane->index, lane->index % WARP_SIZE, fatal->mask);
    if (fatal->kind == FATAL_ASSERT)
        finding_write(&finding, "%s does not hold.", fatal->condition);
    if (fatal->file)
        finding.line[0] = (struct source_line){fatal->file, fatal->line};
    /* a misaligned access has been told before it was made, unless checks are off */
    if (finding.kind != FINDING_MISALIGNED || !finding_any())
        finding_add(&finding);
}
