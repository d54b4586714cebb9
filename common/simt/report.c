/* Reports of the CPU backend: readable blocks on stderr. */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void print_line(const char *format, va_list args)
{
    fflush(stdout);
    fprintf(stderr, "simt: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
}

void report_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(format, args);
    va_end(args);
    _Exit(EXIT_USAGE);
}

void report_fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(format, args);
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
    const struct simt_site *site = &block->launch->site;
    fflush(stdout);
    fprintf(stderr, "simt: %s in %s, launched at %s:%d\n", bug, site->kernel, site->file,
            site->line);
    fprintf(stderr, "  block (%u,%u,%u) of (%u,%u,%u), %u threads\n", block->index.x,
            block->index.y, block->index.z, block->launch->grid.x, block->launch->grid.y,
            block->launch->grid.z, block->launch->threads);
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
        if (alive(block, first)) {
            fprintf(stderr, "  threads %u to %u wait at %s", first, end - 1, place_name(lane));
            if (lane->wait == WAIT_WARP)
                fprintf(stderr, " with mask 0x%08x", lane->mask);
            fprintf(stderr, "\n");
        } else {
            fprintf(stderr, "  threads %u to %u have ended\n", first, end - 1);
        }
        first = end;
    }
    fprintf(stderr, "  Nobody can go on. Every living thread of a block must reach the same\n"
                    "  __syncthreads(), and every lane that a mask names the same warp operation.\n");
    leave();
    abort();
}

void report_not_in_mask(const struct lane *lane, unsigned mask)
{
    print_header("warp operation with a foreign mask", lane->block);
    fprintf(stderr, "  thread %u (lane %u of its warp) calls it with mask 0x%08x, which does not\n"
                    "  name that lane. A lane must be in the mask that it passes.\n",
            lane->index, lane->index % WARP_SIZE, mask);
    leave();
    abort();
}

void simt_trap(void)
{
    print_header("__trap()", block_current_lane()->block);
    leave();
    abort();
}
