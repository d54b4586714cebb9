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
        block->lane[i].log.end = NULL;
}

static void no_operation(struct lane *lane, enum event_kind kind, uint64_t address, unsigned size,
                         const void *pc)
{
    (void)lane, (void)kind, (void)address, (void)size, (void)pc;
}

static void no_range(const void *address, size_t size, bool store, const void *pc)
{
    (void)address, (void)size, (void)store, (void)pc;
}

static void no_stray_free(const void *address, const void *pc)
{
    (void)address, (void)pc;
}

static void no_warp(struct block *block, unsigned warp)
{
    (void)block, (void)warp;
}

static void no_barrier(struct block *block, const struct lane *first, const struct lane *elsewhere)
{
    (void)block, (void)first, (void)elsewhere;
}

static void no_shuffle(const struct lane *lane, int from)
{
    (void)lane, (void)from;
}

static void say_fatal(const struct fatal *fatal)
{
    static const char *const what[] = {[FATAL_DEADLOCK] = "deadlock",
                                       [FATAL_LIVELOCK] = "deadlock",
                                       [FATAL_MASK] = "warp operation with a wrong mask",
                                       [FATAL_TRAP] = "__trap()",
                                       [FATAL_ACCESS] = "access to no memory at all",
                                       [FATAL_STACK] = "stack overflow"};
    const struct launch *launch = fatal->block->launch;

    end_begin();
    fprintf(stderr, "simt: %s, kernel %s, launched at %s:%d\n", what[fatal->kind],
            launch->site.kernel, launch->site.file, launch->site.line);
    end_now(EXIT_BUG);
}

struct observer simt_observer = {.launch_begin = nothing,
                                 .launch_end = no_launch,
                                 .block_begin = no_block,
                                 .block_end = no_block,
                                 .operation = no_operation,
                                 .range = no_range,
                                 .stray_free = no_stray_free,
                                 .warp_stops = no_warp,
                                 .barrier = no_barrier,
                                 .stray_shuffle = no_shuffle,
                                 .fatal = say_fatal};

void observer_fatal(const struct fatal *fatal)
{
    simt_observer.fatal(fatal);
    abort();
}
