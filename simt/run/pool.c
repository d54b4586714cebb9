/* Hands turns from block to block; see block.h. */
#define _GNU_SOURCE
#include "run/block.h"
#include "run/end.h"
#include "run/device.h"
#include "run/schedule.h"

#include <stdio.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <unistd.h>

enum { FEW_BLOCKS = 16 }; /* beyond these mappings are spared */

static struct {
    const struct launch *launch;
    size_t blocks, at_once; /* of the launch; of these the device holds */
    size_t next;            /* the first that has not begun */
    size_t resident;        /* blocks that have begun and not ended */
    struct block *turn;     /* the last of those that rest which had one; NULL: from the first on */
    bool started_last;      /* the last turn went to a block that had not begun */
    time_t since;           /* processor time, in seconds, when it began */
} pool;

/* ---- blocks that get no further ---- */

static bool all_have_begun(void)
{
    return pool.next == pool.blocks;
}

/* Has the device room for one more block? */
static bool can_start(void)
{
    return !all_have_begun() && pool.resident < pool.at_once;
}

/* The observer is told where all blocks are that have begun. Returns when the launch may go on. */
static void tell_stall(struct stall stall)
{
    struct block *blocks[DEVICE_MOST_BLOCKS];

    stall.launch = pool.launch;
    stall.blocks = blocks;
    stall.waiting = pool.blocks - pool.next;
    stall.at_once = pool.at_once;
    for (struct block *block = block_list; block; block = block->next)
        if (block->resident)
            blocks[stall.count++] = block;
    OBSERVE(stall, &stall);
    if (stall.kind == STALL_SIGNAL)
        end_by_signal(stall.signal);
    if (stall.kind != STALL_SLOW)
        end_with(EXIT_NOT_JUDGED, "kernel %s gets no further", pool.launch->site.kernel);
}

/* Every block that has begun polls, and was in the same state before, while nobody did anything:
 * none of them will ever go on, unless one that cannot begin would help. */
static void end_if_nobody_can_go_on(void)
{
    for (const struct block *block = block_list; block; block = block->next)
        if (block->resident && !block->waits && (!block->fixed || block->stamp != lane_activity))
            return;
    if (!__libc_single_threaded) /* the host's others may change what the blocks wait for */
        return;
    tell_stall((struct stall){.kind = all_have_begun() ? STALL_DEADLOCK : STALL_GRID});
}

/* Has anybody done anything since the block last rested? If not, do its threads repeat themselves?
 * To compare their states takes long: not while things move. Where the block was disturbed some may
 * not have run since, and are in the state that they were in for that. */
static void look_at(struct block *block, bool disturbed)
{
    if (block->stamp != lane_activity) {
        block->stamp = lane_activity;
        block->fixed = false;
        block_forget_states(block);
        return;
    }
    if (block->fixed || disturbed || can_start())
        return;
    block->fixed = block_repeats(block);
    if (block->fixed)
        end_if_nobody_can_go_on();
}

/* ---- whose turn it is ---- */

/* One that does not run. */
static struct block *find_block(void)
{
    struct block *block = block_find(pool.launch->threads, pool.resident >= FEW_BLOCKS);

    if (!block)
        end_fatal("no memory for the stacks of %u threads (%d KiB each)", pool.launch->threads,
                  FIBER_STACK_BYTES / 1024);
    return block;
}

static size_t common_divisor(size_t a, size_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* The block to run as number i. Steps of a size that has no divisor in common with the number of
 * blocks visit each of them once. */
static size_t shuffled(size_t i, size_t blocks, unsigned seed)
{
    if (seed == 0)
        return i;
    size_t step = seed % blocks + 1;
    while (common_divisor(step, blocks) != 1)
        step++;
    return (size_t)(((unsigned __int128)i * step + seed) % blocks);
}

/* The next block begins there. */
static struct block *begin_in(struct block *block)
{
    size_t number = shuffled(pool.next++, pool.blocks, pool.launch->order);

    block->fixed = false;
    pool.resident++;
    block_begin(block, pool.launch, (uint32_t)number);
    return block;
}

/* The first that rests behind the one that had the last turn, other than self, and that could get
 * further; NULL: none does. */
static struct block *next_resting(const struct block *self)
{
    struct block *block = pool.turn;

    do {
        block = block && block->next ? block->next : block_list;
        if (block->resident && block != self && !block->waits)
            return block;
    } while (block != pool.turn && (pool.turn || block->next));
    return NULL;
}

/* Whose turn it is when this block rests: those that rest and those that have not begun by turns,
 * unless nothing has happened since the first of those that rest looked; else its own. */
static struct block *choose_next(struct block *self)
{
    struct block *next = next_resting(self), *new = NULL;
    bool stale = next && next->stamp != lane_activity;

    if (can_start() && !(stale && pool.started_last))
        new = find_block();
    pool.started_last = new != NULL;
    if (new)
        return begin_in(new);
    if (!next && self->waits)
        tell_stall((struct stall){.kind = STALL_DEADLOCK});
    return next ? (pool.turn = next) : self;
}

/* The block rests: whose turn is it? */
static struct block *rest(struct block *self, bool disturbed)
{
    struct stall stall = watchdog_calls();

    if (stall.kind != STALL_NONE) { /* it only rests for that: what comes next is to be the same */
        tell_stall(stall);
        return self;
    }
    look_at(self, disturbed);
    return choose_next(self);
}

/* The block has ended: the next one begins in its place, else one that rests has its turn; NULL:
 * that was all. */
static struct block *end(struct block *block)
{
    block->resident = false;
    pool.resident--;
    if (!all_have_begun())
        return begin_in(block);
    if (pool.resident == 0)
        return NULL;
    if (!(pool.turn = next_resting(block)))
        tell_stall((struct stall){.kind = STALL_DEADLOCK});
    return pool.turn;
}

#define PROGRESS "kernel %s: %.0f %% of %zu blocks; a smaller n is judged as well"

/* A launch that takes long says how far it is: on a terminal after 2 s, in a line that its end
 * wipes; elsewhere, where nothing can be wiped, once, after 10 s of the processor's time. */
static void show_progress(size_t done)
{
    static time_t next;
    static bool shown, told;
    double percent = 100.0 * (double)done / (double)pool.blocks;
    struct timespec worked;

    if (done == 0)
        next = time(NULL) + 2;
    if (done == pool.blocks && shown)
        fprintf(stderr, "\r\033[K");
    shown &= done < pool.blocks;
    if (done == pool.blocks || time(NULL) < next)
        return;
    next = time(NULL) + 1;
    if (isatty(STDERR_FILENO)) {
        shown = true;
        fprintf(stderr, "\r\033[K" PROGRESS, pool.launch->site.kernel, percent, pool.blocks);
    } else if (!told && clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &worked) == 0 &&
               worked.tv_sec >= pool.since + 10) {
        told = true;
        fprintf(stderr, "simt: " PROGRESS "\n", pool.launch->site.kernel, percent, pool.blocks);
    }
}

void pool_run(const struct launch *launch, size_t at_once)
{
    bool disturbed;

    crash_handle();
    pool.launch = launch;
    pool.blocks = (size_t)launch->grid.x * launch->grid.y * launch->grid.z;
    pool.at_once = at_once;
    pool.next = 0;
    pool.turn = NULL;
    schedule_launch_begins();
    grid_begin(launch);
    struct block *block = begin_in(find_block());
    watchdog_begin();
    show_progress(0);
    while (block) {
        schedule_load(block);
        block = block_continue(block, &disturbed) ? end(block) : rest(block, disturbed);
        show_progress(pool.next - pool.resident);
    }
    watchdog_end();
}
