/* The last write by an operation of each thread of a launch.
 *
 * Keeps the entries of blocks that have ended as runs of threads. A launch has millions of threads,
 * and most of them made the write behind their neighbour's, in the same chain, or none. */
#include "judge/sync.h"
#include "run/array.h"

/* Threads in a row whose entries differ by their numbers alone, which follow each other. */
struct run {
    uint16_t thread;  /* the first one */
    uint16_t threads; /* how many there are */
    struct last last; /* the first one's entry */
};

/* A block. */
struct kept {
    const struct last *running; /* its threads' entries while it runs; NULL: it has ended */
    size_t begin, end;          /* once it has ended: its runs, as indices in `runs` */
    uint32_t latest;            /* time of its last write by an operation; 0: it made none */
};
static struct entries blocks; /* by their linear index */
static struct run *runs;      /* of all blocks that have ended */
static size_t room, count;    /* of `runs` */

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

/* The entry of a thread of the run. A thread that made no write has no number. */
static struct last entry_in(const struct run *run, unsigned thread)
{
    struct last last = run->last;

    last.number += last.number > 0 ? thread - run->thread : 0;
    return last;
}

static bool continues(const struct run *run, unsigned thread, const struct last *last)
{
    struct last next = entry_in(run, thread);

    return thread == run->thread + run->threads && last->chain == next.chain &&
           last->number == next.number && last->time == next.time && last->fence == next.fence;
}

static void keep(struct kept *kept, unsigned thread, const struct last *last)
{
    if (last->number > 0 && last->time > kept->latest)
        kept->latest = last->time;
    if (last->number == 0 && last->fence == 0)
        return;
    if (count > kept->begin && continues(&runs[count - 1], thread, last)) {
        runs[count - 1].threads++;
        return;
    }
    array_room((void **)&runs, count, &room, SIZE_MAX, sizeof *runs);
    runs[count++] = (struct run){(uint16_t)thread, 1, *last};
}

void last_end(uint32_t block, unsigned threads)
{
    struct kept *kept = kept_of(block);

    if (!kept)
        return;
    const struct last *running = kept->running;
    *kept = (struct kept){.begin = count};
    for (unsigned thread = 0; thread < threads; thread++)
        keep(kept, thread, &running[thread]);
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
        if (thread - runs[i].thread < runs[i].threads)
            return entry_in(&runs[i], thread);
    return (struct last){0};
}

void last_forget(void)
{
    map_forget(&blocks.numbers);
    count = 0;
}
