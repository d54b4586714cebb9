/* The last write by an operation of each thread of a launch.
 *
 * Of blocks that have ended it keeps the entries of the threads that made one, which are few of a
 * launch's millions. */
#include "judge/sync.h"
#include "run/array.h"

/* A thread of a block that has ended. */
struct ended {
    uint16_t thread; /* linear index in its block */
    struct last last;
};

/* A block. */
struct kept {
    const struct last *running; /* its threads' entries while it runs; NULL: it has ended */
    size_t begin, end;          /* once it has ended: its threads, as indices in `ended` */
    uint32_t latest;            /* time of its last write by an operation; 0: it made none */
};
static struct entries blocks; /* by their linear index */
static struct ended *ended;   /* of all blocks that have ended */
static size_t room, count;    /* of `ended` */

void last_begin(uint32_t block, const struct last *running)
{
    struct kept *kept = entries_at(&blocks, sizeof *kept, block, 0);

    kept->running = running;
}

/* The block; NULL: it never began. */
static struct kept *kept_of(uint32_t block)
{
    uint32_t number = map_find(&blocks.numbers, block, 0);

    return number == MAP_NONE ? NULL : (struct kept *)blocks.entry + number;
}

void last_end(uint32_t block, unsigned threads)
{
    struct kept *kept = kept_of(block);

    if (!kept)
        return;
    const struct last *last = kept->running;
    *kept = (struct kept){.begin = count};
    for (unsigned thread = 0; thread < threads; thread++, last++) {
        if (last->number > 0 && last->time > kept->latest)
            kept->latest = last->time;
        if (last->number == 0 && last->fence == 0)
            continue;
        *ARRAY_ADD(ended, count, room) = (struct ended){(uint16_t)thread, *last};
    }
    kept->end = count;
}

bool last_released_nothing(uint32_t block, uint32_t since)
{
    const struct kept *kept = kept_of(block);

    return kept && !kept->running && kept->latest <= since;
}

struct last last_of(uint32_t block, unsigned thread)
{
    const struct kept *kept = kept_of(block);

    if (kept && kept->running)
        return kept->running[thread];
    for (size_t i = kept ? kept->begin : 0; kept && i < kept->end; i++)
        if (ended[i].thread == thread)
            return ended[i].last;
    return (struct last){0};
}

void last_forget(void)
{
    map_forget(&blocks.numbers);
    count = 0;
}
