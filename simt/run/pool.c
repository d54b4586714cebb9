/* Runs the blocks of a launch by turns; see block.h. */
#include "run/block.h"
#include "run/end.h"
#include "run/runtime.h"

#include <stdio.h>
#include <sys/single_threaded.h>
#include <time.h>
#include <unistd.h>

enum { FEW_BLOCKS = 16 }; /* further blocks have few guard pages */

static struct {
    const struct launch *launch;
    size_t at_once;     /* blocks that the device holds at once */
    size_t next;        /* the first block that has not begun */
    size_t resident;    /* blocks that have begun and not ended */
    struct block *turn; /* the resting block that had a turn last; NULL: none had */
} pool;

/* ---- blocks that get no further ---- */

static bool all_have_begun(void)
{
    return pool.next == pool.launch->blocks;
}

/* Does the device have room for one more block? */
static bool can_start(void)
{
    return !all_have_begun() && pool.resident < pool.at_once;
}

/* Tells the observer of the blocks that have begun and not ended. Returns if the launch goes on. */
static void tell_stall(struct stall stall)
{
    stall.launch = pool.launch;
    stall.running = pool.resident;
    stall.waiting = pool.launch->blocks - pool.next;
    stall.at_once = pool.at_once;
    OBSERVE(stall, &stall);
    if (stall.kind == STALL_SIGNAL)
        end_by_signal(stall.signal);
    if (stall.kind != STALL_SLOW)
        end_with(EXIT_NOT_JUDGED, "kernel %s gets no further", pool.launch->site.kernel);
}

/* If every resident block only polls, and was in the same state before without any activity since,
 * none of them can ever go on. A block that cannot begin might have helped them: STALL_GRID. */
static void end_if_nobody_can_go_on(void)
{
    for (const struct block *block = block_list; block; block = block->next)
        if (block->resident && (!block->fixed || block->stamp != lane_activity))
            return;
    if (!__libc_single_threaded) /* the host's other threads may change what the blocks wait for */
        return;
    tell_stall((struct stall){.kind = all_have_begun() ? STALL_DEADLOCK : STALL_GRID});
}

/* The block rests. If nothing has happened since it last did: do its threads repeat themselves? To
 * compare their states takes long, so it is not done while things move, nor when the block was
 * disturbed: then some threads have not run since, and for that reason are in the same state. */
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

/* The number of the block to run i-th: an odd seed reverses the order of the one before, so that of
 * each two blocks either comes first. The rounds map the numbers below a power of two one to one;
 * one that is no block's is mapped again, which ends at i at last. */
static size_t shuffled(size_t i, size_t blocks, unsigned seed)
{
    size_t mask = 1;

    if (seed % 2)
        i = blocks - 1 - i;
    if (seed < 2)
        return i;
    while (mask < blocks - 1)
        mask = 2 * mask + 1;
    do {
        uint64_t x = seed / 2;
        for (int round = 0; round < 4; round++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            i = ((i ^ i / 2) * (x >> 32 | 1) + (x >> 40)) & mask;
        }
    } while (i >= blocks);
    return i;
}

/* Begins the next block, in this struct block; NULL: in any that is not resident. */
static struct block *begin_in(struct block *block)
{
    size_t number = shuffled(pool.next++, pool.launch->blocks, pool.launch->order);

    if (!block)
        block = block_find(pool.launch->threads, pool.resident >= FEW_BLOCKS);
    if (!block)
        end_fatal("no memory for the stacks of %u threads (%d KiB each)", pool.launch->threads,
                  FIBER_STACK_BYTES / 1024);
    block->fixed = false;
    pool.resident++;
    block_begin(block, pool.launch, (uint32_t)number);
    return block;
}

/* The next resting block but self, behind the one that had the last turn; NULL: there is none. */
static struct block *next_resting(const struct block *self)
{
    struct block *block = pool.turn;

    do {
        block = block && block->next ? block->next : block_list;
        if (block->resident && block != self)
            return block;
    } while (block != pool.turn && (pool.turn || block->next));
    return NULL;
}

/* The block rests. Returns the block that runs next: a new one, as long as the device has room,
 * then the resting ones by turns. If there is none, this block goes on. */
static struct block *rest(struct block *self, bool disturbed)
{
    struct stall stall = watchdog_calls();

    if (stall.kind != STALL_NONE) { /* it rests for that alone, and then goes on as before */
        tell_stall(stall);
        return self;
    }
    look_at(self, disturbed);
    if (can_start())
        return begin_in(NULL);
    struct block *next = next_resting(self);
    return next ? (pool.turn = next) : self;
}

/* The block has ended. Returns the block that runs next: a new one in its place, or a resting one.
 * NULL: all have ended. */
static struct block *end(struct block *block)
{
    block->resident = false;
    pool.resident--;
    if (!all_have_begun())
        return begin_in(block);
    if (pool.resident == 0)
        return NULL;
    return pool.turn = next_resting(block);
}

/* A launch that takes long says how far it is. On a terminal it does so after 2 s, in a line that
 * is wiped at its end; elsewhere once, when the program has had 10 s of the processor's time. */
static void show_progress(size_t done)
{
    static time_t next;
    static bool shown, told;
    double percent = 100.0 * (double)done / (double)pool.launch->blocks;
    struct timespec worked;

    if (done == 0)
        next = time(NULL) + 2;
    if (done == pool.launch->blocks && shown)
        fprintf(stderr, "\r\033[K");
    shown &= done < pool.launch->blocks;
    if (done == pool.launch->blocks || time(NULL) < next)
        return;
    next = time(NULL) + 1;
    bool terminal = isatty(STDERR_FILENO);
    if (!terminal &&
        (told || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &worked) != 0 || worked.tv_sec < 10))
        return;
    shown = terminal;
    told = true;
    fprintf(stderr, "%skernel %s: %.0f %% of %zu blocks; a smaller n is judged as well%s",
            terminal ? "\r\033[K" : "simt: ", pool.launch->site.kernel, percent,
            pool.launch->blocks, terminal ? "" : "\n");
}

void pool_run(const struct launch *launch, size_t at_once)
{
    bool disturbed;

    end_handle_crashes();
    pool.launch = launch;
    pool.at_once = at_once;
    pool.next = 0;
    pool.turn = NULL;
    schedule_launch_begins();
    grid_begin(launch);
    struct block *block = begin_in(NULL);
    watchdog_begin();
    show_progress(0);
    while (block) {
        schedule_load(block);
        block = block_continue(block, &disturbed) ? end(block) : rest(block, disturbed);
        show_progress(pool.next - pool.resident);
    }
    watchdog_end();
}
