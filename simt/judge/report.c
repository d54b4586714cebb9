/* Reports of the CPU backend: readable blocks on stderr. */
#define _GNU_SOURCE
#include "judge/report.h"
#include "judge/finding.h"
#include "watch/observe.h"
#include "watch/record.h"
#include "run/runtime.h"
#include "simt.h"
#include "watch/symbol.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whoever has something to say before the program ends. It is kept for good, so that others that
 * come to the same end say nothing; recursive, since while it speaks memory may run out. */
static pthread_mutex_t only_one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void print_message(const char *format, va_list args)
{
    pthread_mutex_lock(&only_one);
    fflush(stdout);
    fprintf(stderr, "simt: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
}

void report_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    _Exit(EXIT_USAGE);
}

void report_fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    _Exit(EXIT_NO_DEVICE);
}

/* The bug is known and the other threads still run: leave at once, but lose no output. */
static void leave(void)
{
    fflush(NULL);
    _Exit(EXIT_BUG);
}

static void print_header(const char *bug, const struct block *block)
{
    const struct launch *launch = block->launch;

    pthread_mutex_lock(&only_one);
    finding_print();
    fprintf(stderr, "\nsimt: %s, kernel %s\n", bug, launch->site.kernel);
    fprintf(stderr, "      launch %u, %s:%d, block (%u,%u,%u) of (%u,%u,%u), %u threads\n",
            launch->number, launch->site.file, launch->site.line, block->index.x, block->index.y,
            block->index.z, launch->grid.x, launch->grid.y, launch->grid.z, launch->threads);
}

static void print_line(const void *pc)
{
    char source[80];
    struct source_line place = symbol_line(trace_offset(pc));

    if (place.line > 0)
        fprintf(stderr, "  %s:%d  %s\n", place.file, place.line,
                symbol_source(place, source, sizeof source));
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

static bool alive(const struct block *block, unsigned index)
{
    return block->warp[index / WARP_SIZE].alive >> index % WARP_SIZE & 1;
}

/* True when b belongs on the line that begins with a. */
static bool same_place(const struct lane *a, const struct lane *b)
{
    return a->wait == b->wait && a->pc == b->pc && (a->wait != WAIT_WARP || a->mask == b->mask);
}

void report_deadlock(const struct block *block)
{
    unsigned threads = block->launch->threads;

    print_header("deadlock", block);
    for (unsigned first = 0; first < threads;) {
        const struct lane *lane = &block->lane[first];
        unsigned end = first + 1;
        while (end < threads && alive(block, end) == alive(block, first) &&
               (!alive(block, first) || same_place(lane, &block->lane[end])))
            end++;
        if (alive(block, first))
            print_line(lane->pc);
        fprintf(stderr, "      threads %u to %u ", first, end - 1);
        if (!alive(block, first))
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
    leave();
    abort();
}

void report_not_in_mask(const struct lane *lane, unsigned mask, const void *pc)
{
    print_header("warp operation with a wrong mask", lane->block);
    print_line(pc);
    fprintf(stderr,
            "      thread %u, lane %u of its warp, calls it with mask 0x%08x\n"
            "  A lane must be in the mask that it passes.\n",
            lane->index, lane->index % WARP_SIZE, mask);
    leave();
    abort();
}

/* The line at pc or, when that is not in the source (a library's function), of the last access. */
static void print_crash_line(const struct lane *lane, const void *pc)
{
    struct source_line place = symbol_line(trace_offset(pc) + 1);
    size_t length = strlen(place.file);
    bool in_library = length > 2 && strcmp(place.file + length - 2, ".c") == 0;

    if (place.line == 0 || in_library)
        print_line((const void *)trace_address(lane->trace.last_pc));
    else
        print_line((const char *)pc + 1);
}

void report_crash(const struct lane *lane, bool stack_overflow, const void *address, const void *pc)
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
        fprintf(stderr, "  The pointer is null, freed or wild: check cudaMalloc's result and the\n"
                        "  argument of the launch.\n");
    leave();
    abort();
}

void report_livelock(const struct lane *lane, long seconds)
{
    print_header("deadlock", lane->block);
    print_line((const void *)trace_address(lane->trace.last_pc));
    fprintf(
        stderr,
        "      thread (%u,%u,%u) has been going round here\n"
        "  For %ld seconds no thread of the block has ended or passed a barrier. Does it wait for\n"
        "  a block that can only start when this one has ended? (SIMT_WATCHDOG=0 waits forever.)\n",
        lane->thread_idx.x, lane->thread_idx.y, lane->thread_idx.z, seconds);
    leave();
    abort();
}

void simt_trap(void)
{
    print_header("__trap()", block_current_lane()->block);
    print_line(__builtin_return_address(0));
    leave();
    abort();
}

/* ---- the program's end ---- */

/* SIMT_COUNTERS, for programs that do not print them themselves. */
static void print_counters_as_asked(void)
{
    const char *style = getenv("SIMT_COUNTERS");

    if (!style || !observe_settings()->counters)
        return;
    fflush(stdout);
    if (strcmp(style, "csv") == 0)
        simt_print_counters(stderr, SIMT_CSV, "");
    else
        simt_print_counters(stderr, strcmp(style, "annotate") == 0 ? SIMT_ANNOTATE : SIMT_TABLE,
                            "");
}

/* Findings are told when everything else has been printed, and decide the exit status. */
static void at_exit(int status, void *unused)
{
    (void)status, (void)unused;
    print_counters_as_asked();
    bool recorded = record_write();
    runtime_check_last_error();
    if (finding_any()) {
        finding_print();
        leave();
    }
    if (!recorded) {
        fflush(NULL);
        _Exit(EXIT_NO_DEVICE);
    }
}

/* Before main, so that it runs after everything that main registers. */
__attribute__((constructor)) static void register_at_exit(void)
{
    on_exit(at_exit, NULL);
}
