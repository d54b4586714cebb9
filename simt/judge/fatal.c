/* Reports of deadlocks, crashes and the like: readable blocks on stderr. */
#include "judge/fatal.h"
#include "judge/bounds.h"
#include "judge/finding.h"
#include "run/end.h"
#include "run/symbols.h"
#include "watch/code.h"
#include "watch/source.h"

#include <stdio.h>
#include <string.h>

_Static_assert(FIBER_STACK_BYTES == 256 * 1024, "kinds.c says how large it is");

static struct actor actor_of(const struct lane *lane, uint32_t pc)
{
    return finding_actor(lane->block, pc, lane->index / WARP_SIZE, (int)(lane->index % WARP_SIZE),
                         EVENT_KINDS, 0);
}

/* For the report (judge/report.h); what stands here tells it on stderr, at length. */
static void keep(enum finding_kind kind, const struct lane *lane, uint32_t pc, const char *detail)
{
    struct finding finding = {
        .kind = kind, .launch = lane->block->launch, .actor[0] = actor_of(lane, pc), .actors = 1};

    snprintf(finding.detail, sizeof finding.detail, "%s", detail);
    finding_add(&finding);
}

static void print_header(enum finding_kind kind, const struct block *block)
{
    const struct launch *launch = block->launch;
    char kernel[256];

    end_begin();
    finding_print();
    fprintf(stderr, "\nsimt: %s, kernel %s\n", kinds[kind].title,
            source_kernel(&launch->site, kernel, sizeof kernel));
    fprintf(stderr, "      launch %u, %s:%d, block (%u,%u,%u) of (%u,%u,%u), %u threads\n",
            launch->number, launch->site.file, launch->site.line, block->index.x, block->index.y,
            block->index.z, launch->grid.x, launch->grid.y, launch->grid.z, launch->threads);
}

static void print_rule(enum finding_kind kind)
{
    fprintf(stderr, "  %s\n", kinds[kind].rule);
    finding_print_kind(kind);
}

static void print_line(const void *pc)
{
    char source[80];
    struct source_line place = source_line_at(code_offset(pc));

    if (place.line > 0)
        fprintf(stderr, "  %s:%d  %s\n", place.file, place.line,
                source_text(place, source, sizeof source));
}

static const char *place_name(const struct lane *lane)
{
    static const char *const names[] = {
        [SIMT_SYNCWARP] = "__syncwarp",
        [SIMT_SHFL_IDX] = "__shfl_sync",
        [SIMT_SHFL_UP] = "__shfl_up_sync",
        [SIMT_SHFL_DOWN] = "__shfl_down_sync",
        [SIMT_SHFL_XOR] = "__shfl_xor_sync",
        [SIMT_BALLOT] = "a vote (__ballot_sync, __any_sync, __all_sync)",
        [SIMT_MATCH_ANY] = "__match_any_sync",
        [SIMT_MATCH_ALL] = "__match_all_sync",
        [SIMT_ADD] = "__reduce_add_sync",
        [SIMT_MIN_SIGNED] = "__reduce_min_sync",
        [SIMT_MAX_SIGNED] = "__reduce_max_sync",
        [SIMT_MIN_UNSIGNED] = "__reduce_min_sync",
        [SIMT_MAX_UNSIGNED] = "__reduce_max_sync",
        [SIMT_AND] = "__reduce_and_sync",
        [SIMT_OR] = "__reduce_or_sync",
        [SIMT_XOR] = "__reduce_xor_sync",
    };
    return lane->wait == WAIT_BARRIER ? "__syncthreads" : names[lane->op];
}

/* True when b belongs on the line that begins with a. */
static bool same_place(const struct lane *a, const struct lane *b)
{
    return a->wait == b->wait && a->pc == b->pc && (a->wait != WAIT_WARP || a->mask == b->mask);
}

/* The first thread that waits and, if there is one, the first that waits elsewhere. */
static void keep_deadlock(const struct block *block)
{
    struct finding finding = {.kind = FINDING_DEADLOCK, .launch = block->launch};
    const struct lane *waits = NULL;

    for (unsigned i = 0; i < block->launch->threads && finding.actors < 2; i++) {
        const struct lane *lane = &block->lane[i];
        if (!lane_is_alive(block, i) || (waits && same_place(waits, lane)))
            continue;
        waits = lane;
        finding.actor[finding.actors++] = actor_of(lane, code_offset(lane->pc));
    }
    snprintf(finding.detail, sizeof finding.detail,
             "%u of the block's %u threads wait, the others have ended.", block->alive,
             block->launch->threads);
    finding_add(&finding);
}

static void tell_deadlock(const struct block *block)
{
    unsigned threads = block->launch->threads;

    print_header(FINDING_DEADLOCK, block);
    keep_deadlock(block);
    for (unsigned first = 0; first < threads;) {
        const struct lane *lane = &block->lane[first];
        unsigned end = first + 1;
        while (end < threads && lane_is_alive(block, end) == lane_is_alive(block, first) &&
               (!lane_is_alive(block, first) || same_place(lane, &block->lane[end])))
            end++;
        if (lane_is_alive(block, first))
            print_line(lane->pc);
        fprintf(stderr, "      threads %u to %u ", first, end - 1);
        if (!lane_is_alive(block, first))
            fprintf(stderr, "have ended\n");
        else if (lane->wait == WAIT_WARP)
            fprintf(stderr, "wait at %s, mask 0x%08x\n", place_name(lane), lane->mask);
        else
            fprintf(stderr, "wait at %s\n", place_name(lane));
        first = end;
    }
    print_rule(FINDING_DEADLOCK);
}

static void tell_wrong_mask(const struct lane *lane, unsigned mask, const void *pc)
{
    char detail[160];

    print_header(FINDING_WARP_OPERATION, lane->block);
    print_line(pc);
    snprintf(detail, sizeof detail, "thread %u, lane %u of its warp, calls it with mask 0x%08x",
             lane->index, lane->index % WARP_SIZE, mask);
    keep(FINDING_WARP_OPERATION, lane, code_offset(pc), detail);
    fprintf(stderr, "      %s\n", detail);
    print_rule(FINDING_WARP_OPERATION);
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
static const void *misaligned_address(struct lane *lane)
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

static void tell_crash(const struct lane *lane, enum finding_kind kind, const void *address,
                       const void *pc)
{
    uint32_t place = crash_place(lane, pc);
    char detail[160];

    if (kind == FINDING_NO_MEMORY && !address && lane->log.begin &&
        (address = misaligned_address((struct lane *)lane)) != NULL)
        kind = FINDING_MISALIGNED;

    finding_replaces_index(&(struct finding){
        .kind = kind, .launch = lane->block->launch, .actor[0] = actor_of(lane, place)});
    print_header(kind, lane->block);
    print_line((const void *)code_address(place));
    if (kind == FINDING_GLOBAL_BOUNDS)
        symbols_describe(address, detail, sizeof detail);
    else
        snprintf(detail, sizeof detail, "address %p", address);
    if (kind == FINDING_NO_MEMORY && address && (uintptr_t)address < NEAR_NULL)
        snprintf(detail, sizeof detail, "address %p, a null pointer plus %zu byte%s", address,
                 (size_t)address, (size_t)address == 1 ? "" : "s");
    keep(kind, lane, place, detail);
    fprintf(stderr, "      thread (%u,%u,%u)%s%s\n", lane->thread_idx.x, lane->thread_idx.y,
            lane->thread_idx.z, kind == FINDING_GLOBAL_BOUNDS ? "\n  " : ", ", detail);
    print_rule(kind);
}

static void tell_assert(const struct fatal *fatal)
{
    const struct lane *lane = fatal->lane;
    char source[80], detail[160];

    print_header(FINDING_ASSERT, lane->block);
    snprintf(detail, sizeof detail, "%s does not hold.", fatal->condition);
    keep(FINDING_ASSERT, lane, code_offset(fatal->pc), detail);
    fprintf(stderr, "  %s:%d  %s\n      thread (%u,%u,%u): %s\n", fatal->file, fatal->line,
            source_text((struct source_line){fatal->file, fatal->line}, source, sizeof source),
            lane->thread_idx.x, lane->thread_idx.y, lane->thread_idx.z, detail);
    print_rule(FINDING_ASSERT);
}

static void tell_trap(const struct lane *lane, const void *pc)
{
    print_header(FINDING_TRAP, lane->block);
    print_line(pc);
    keep(FINDING_TRAP, lane, code_offset(pc), "");
    print_rule(FINDING_TRAP);
}

void fatal_report(const struct fatal *fatal)
{
    switch (fatal->kind) {
    case FATAL_DEADLOCK: tell_deadlock(fatal->block); break;
    case FATAL_MASK: tell_wrong_mask(fatal->lane, fatal->mask, fatal->pc); break;
    case FATAL_ASSERT: tell_assert(fatal); break;
    case FATAL_TRAP: tell_trap(fatal->lane, fatal->pc); break;
    case FATAL_ACCESS:
    case FATAL_STACK:
        tell_crash(fatal->lane,
                   fatal->kind == FATAL_STACK     ? FINDING_STACK
                   : symbols_near(fatal->address) ? FINDING_GLOBAL_BOUNDS
                                                  : FINDING_NO_MEMORY,
                   fatal->address, fatal->pc);
        break;
    }
    end_now(EXIT_BUG);
}
