/* What is done where nobody watches. */
#include "run/observer.h"
#include "run/end.h"

#include <stdio.h>
#include <stdlib.h>

static void nothing(void)
{
}

static void no_launch(const struct launch *launch)
{
    (void)launch;
}

/* Lanes that nobody watches keep no log. */
static void no_block(struct block *block)
{
    for (unsigned i = 0; i < block->launch->threads; i++)
        log_nothing(&block->lane[i].log);
}

static void no_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                         unsigned extra, const void *pc)
{
    (void)lane, (void)kind, (void)address, (void)size, (void)extra, (void)pc;
}

static void no_values(struct lane *lane, const void *address, const void *values, size_t bytes,
                      const void *pc)
{
    (void)lane, (void)address, (void)values, (void)bytes, (void)pc;
}

static void no_range(const void *address, size_t size, bool store, const void *pc)
{
    (void)address, (void)size, (void)store, (void)pc;
}

static void no_stray_free(const void *pc)
{
    (void)pc;
}

static void no_warp(struct block *block, unsigned warp)
{
    (void)block, (void)warp;
}

static void no_meeting(struct block *block, unsigned warp, enum simt_warp_op op, unsigned lanes,
                       unsigned mask)
{
    (void)block, (void)warp, (void)op, (void)lanes, (void)mask;
}

static void no_barrier(struct block *block, const struct lane *first)
{
    (void)block, (void)first;
}

static void no_stray(const struct lane *lane, const struct stray *stray)
{
    (void)lane, (void)stray;
}

static void no_shuffle(const struct lane *lane, int from)
{
    (void)lane, (void)from;
}

static void no_lane(const struct lane *lane)
{
    (void)lane;
}

static void no_symbol(const char *name, const char *what, const void *pc,
                      const struct simt_site *site)
{
    (void)name, (void)what, (void)pc, (void)site;
}

static void no_free(const void *begin, size_t size)
{
    (void)begin, (void)size;
}

static void no_transfer(const struct transfer *transfer)
{
    (void)transfer;
}

static void no_overrun(size_t most, size_t asked, bool written, const void *pc)
{
    (void)most, (void)asked, (void)written, (void)pc;
}

static void no_division(const struct lane *lane, const void *pc)
{
    (void)lane, (void)pc;
}

static void say(const char *what, const struct launch *launch)
{
    end_begin();
    fprintf(stderr, "simt: %s, kernel %s, launched at %s:%d\n", what, launch->site.kernel,
            launch->site.file, launch->site.line);
}

static void say_nested(const struct lane *lane, const struct simt_site *site)
{
    (void)site;
    say("a kernel launched by a kernel, which is not supported", lane->block->launch);
    end_now(EXIT_NOT_JUDGED);
}

static void say_stall(const struct stall *stall)
{
    static const char *const what[] = {
        [STALL_STOPPED] = "stopped",
        [STALL_SIGNAL] = "interrupted",
        [STALL_DEADLOCK] = "deadlock",
        [STALL_GRID] = "deadlock: the device has no room for the grid",
        [STALL_ROOM] = "no room for more blocks at once",
    };

    if (stall->kind == STALL_SLOW)
        return;
    say(what[stall->kind], stall->launch);
    if (stall->kind == STALL_SIGNAL)
        return;
    end_now(stall->kind == STALL_DEADLOCK || stall->kind == STALL_GRID ? EXIT_BUG
                                                                       : EXIT_NOT_JUDGED);
}

static void no_death(int signal_number)
{
    (void)signal_number;
}

static void say_fatal(const struct fatal *fatal)
{
    static const char *const what[] = {[FATAL_DEADLOCK] = "deadlock",
                                       [FATAL_MASK] = "warp operation with a wrong mask",
                                       [FATAL_TRAP] = "__trap()",
                                       [FATAL_ASSERT] = "failed assert",
                                       [FATAL_ACCESS] = "access to no memory at all",
                                       [FATAL_STACK] = "stack overflow"};

    say(what[fatal->kind], fatal->block->launch);
    end_now(EXIT_BUG);
}

struct observer simt_observer = {.launch_begin = nothing,
                                 .launch_end = no_launch,
                                 .block_begin = no_block,
                                 .block_end = no_block,
                                 .operation = no_operation,
                                 .atomic_values = no_values,
                                 .range = no_range,
                                 .stray_free = no_stray_free,
                                 .warp_stops = no_warp,
                                 .warp_meets = no_meeting,
                                 .barrier = no_barrier,
                                 .stray_shuffle = no_stray,
                                 .unseen_mask = no_lane,
                                 .wrong_width = no_shuffle,
                                 .symbol_address = no_symbol,
                                 .freed = no_free,
                                 .transfer = no_transfer,
                                 .host_overrun = no_overrun,
                                 .division = no_division,
                                 .nested_launch = say_nested,
                                 .stall = say_stall,
                                 .fatal = say_fatal,
                                 .host_dies = no_death};

void observer_fatal(const struct fatal *fatal)
{
    simt_observer.fatal(fatal);
    abort();
}
