/* Reports of deadlocks, crashes and the like: readable blocks on stderr. */
#include "judge/fatal.h"
#include "judge/finding.h"
#include "run/end.h"
#include "run/symbols.h"
#include "watch/code.h"
#include "watch/source.h"

#include <stdio.h>
#include <string.h>

static void print_header(const char *bug, const struct block *block)
{
    const struct launch *launch = block->launch;

    end_begin();
    finding_print();
    fprintf(stderr, "\nsimt: %s, kernel %s\n", bug, launch->site.kernel);
    fprintf(stderr, "      launch %u, %s:%d, block (%u,%u,%u) of (%u,%u,%u), %u threads\n",
            launch->number, launch->site.file, launch->site.line, block->index.x, block->index.y,
            block->index.z, launch->grid.x, launch->grid.y, launch->grid.z, launch->threads);
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

static void tell_deadlock(const struct block *block)
{
    unsigned threads = block->launch->threads;

    print_header("deadlock", block);
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
    fprintf(stderr,
            "  Nobody can go on. Every living thread of a block must reach the same\n"
            "  __syncthreads(), and every lane that a mask names the same warp operation.\n");
}

static void tell_wrong_mask(const struct lane *lane, unsigned mask, const void *pc)
{
    print_header("warp operation with a wrong mask", lane->block);
    print_line(pc);
    fprintf(stderr,
            "      thread %u, lane %u of its warp, calls it with mask 0x%08x\n"
            "  A lane must be in the mask that it passes.\n",
            lane->index, lane->index % WARP_SIZE, mask);
}

/* The line at pc or, when that is not in the source (a library's function), of the last access. */
static void print_crash_line(const struct lane *lane, const void *pc)
{
    struct source_line place = source_line_at(code_offset(pc) + 1);
    size_t length = strlen(place.file);
    bool in_library = length > 2 && strcmp(place.file + length - 2, ".c") == 0;

    if (place.line == 0 || in_library)
        print_line((const void *)code_address(lane->log.last_pc));
    else
        print_line((const char *)pc + 1);
}

static void tell_address(const void *address)
{
    char text[160] = "";

    if (symbols_near(address))
        symbols_describe(address, text, sizeof text);
    if (text[0])
        fprintf(stderr, "  %s\n  The index must stay within the array: check it before the access.\n",
                text);
    else
        fprintf(stderr, "  The pointer is null, freed or wild: check cudaMalloc's result and the\n"
                        "  argument of the launch.\n");
}

static void tell_crash(const struct lane *lane, bool stack_overflow, const void *address,
                       const void *pc)
{
    print_header(stack_overflow ? "stack overflow" : "access to no memory at all", lane->block);
    print_crash_line(lane, pc);
    fprintf(stderr, "      thread (%u,%u,%u), address %p\n", lane->thread_idx.x, lane->thread_idx.y,
            lane->thread_idx.z, address);
    if (stack_overflow)
        fprintf(stderr,
                "  A thread has %d KiB for its local variables and calls here: large arrays\n"
                "  and deep recursion belong into global memory or a loop.\n",
                FIBER_STACK_BYTES / 1024);
    else
        tell_address(address);
}

static void tell_assert(const struct fatal *fatal)
{
    const struct lane *lane = fatal->lane;
    char source[80];
    struct source_line place = {fatal->file, fatal->line};

    print_header("failed assert", lane->block);
    fprintf(stderr, "  %s:%d  %s\n      thread (%u,%u,%u): %s does not hold\n", place.file,
            place.line, source_text(place, source, sizeof source), lane->thread_idx.x,
            lane->thread_idx.y, lane->thread_idx.z, fatal->condition);
    fprintf(stderr, "  On a GPU the kernel ends here, and every later call and launch fails with\n"
                    "  cudaErrorAssert.\n");
}

static void tell_livelock(const struct lane *lane, long seconds)
{
    print_header("deadlock", lane->block);
    print_line((const void *)code_address(lane->log.last_pc));
    fprintf(
        stderr,
        "      thread (%u,%u,%u) has been going round here\n"
        "  For %ld seconds no thread of the block has ended or passed a barrier. Does it wait for\n"
        "  a block that can only start when this one has ended? (SIMT_WATCHDOG=0 waits forever.)\n",
        lane->thread_idx.x, lane->thread_idx.y, lane->thread_idx.z, seconds);
}

static void tell_trap(const struct lane *lane, const void *pc)
{
    print_header("__trap()", lane->block);
    print_line(pc);
}

void fatal_report(const struct fatal *fatal)
{
    switch (fatal->kind) {
    case FATAL_DEADLOCK: tell_deadlock(fatal->block); break;
    case FATAL_LIVELOCK: tell_livelock(fatal->lane, fatal->seconds); break;
    case FATAL_MASK: tell_wrong_mask(fatal->lane, fatal->mask, fatal->pc); break;
    case FATAL_ASSERT: tell_assert(fatal); break;
    case FATAL_TRAP: tell_trap(fatal->lane, fatal->pc); break;
    case FATAL_ACCESS:
    case FATAL_STACK:
        tell_crash(fatal->lane, fatal->kind == FATAL_STACK, fatal->address, fatal->pc);
        break;
    }
    end_now(EXIT_BUG);
}
