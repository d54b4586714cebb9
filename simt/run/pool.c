/* Hands turns from block to block; see pool.h. */
#define _GNU_SOURCE
#include "run/pool.h"
#include "run/block.h"
#include "run/end.h"
#include "run/facts.h"
#include "run/observer.h"
#include "run/schedule.h"
#include "simt_device.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_BLOCKS = DEVICE_MOST_BLOCKS,
    FEW_BLOCKS = 16, /* beyond these memory is looked after */
    RESTS = 50,      /* a block that rests so often in a row lets other programs run */
    MEMORY_OF_BLOCK = 32 * 1024 * 1024,
    MEMORY_OF_OTHERS = 256 * 1024 * 1024 /* what a grid that waits for itself leaves to them */
};

static struct {
    const struct launch *launch;
    size_t blocks, at_once;           /* of the launch; of these the device holds */
    size_t next;                      /* the first that has not begun */
    struct block *block[MOST_BLOCKS]; /* where one can run: all that there ever were */
    int count;
    size_t resident;                   /* blocks that have begun and not ended */
    struct block *loaded;              /* whose shared memory is where the kernels find it */
    struct block *free, *first, *last; /* those that do not run; the queue of those that rest */
    bool full;                         /* there is no memory for a further one */
    bool started_last;                 /* the last turn went to a block that had not begun */
    bool alone;     /* in this launch nobody was seen who could change what blocks wait for */
    uint64_t stamp; /* advances when a block has done anything */
} pool;

/* ---- the queue of those that rest ---- */

static void enqueue(struct block *block)
{
    block->next = NULL;
    if (pool.last)
        pool.last->next = block;
    else
        pool.first = block;
    pool.last = block;
}

/* Takes the block behind this one, NULL: the first, off the queue. */
static struct block *dequeue_behind(struct block *before)
{
    struct block **link = before ? &before->next : &pool.first, *block = *link;

    *link = block->next;
    if (pool.last == block)
        pool.last = before;
    return block;
}

/* The first that polls this word; NULL: none. */
static struct block *dequeue_poller(const void *word)
{
    struct block *before = NULL;

    for (struct block *b = pool.first; b; before = b, b = b->next)
        if (block_polls(b, word) > 0)
            return dequeue_behind(before);
    return NULL;
}

/* ---- blocks that rest ---- */

/* Others of the host's threads may change what the blocks wait for. */
static bool host_has_other_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int tasks = 0;

    if (!folder)
        return true;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        tasks += entry->d_name[0] != '.';
    closedir(folder);
    return tasks > 1;
}

static bool all_have_begun(void)
{
    return pool.next == pool.blocks;
}

/* Has the device room for one more block? */
static bool can_start(void)
{
    return !all_have_begun() && !pool.full && pool.resident < pool.at_once;
}

/* The observer is told where all blocks are that have begun. Returns when the launch may go on. */
static void tell_stall(int kind, long seconds, int signal_number)
{
    struct block *blocks[MOST_BLOCKS];
    struct stall stall = {.kind = kind,
                          .launch = pool.launch,
                          .blocks = blocks,
                          .waiting = pool.blocks - pool.next,
                          .at_once = pool.at_once,
                          .seconds = seconds,
                          .signal = signal_number};

    for (int i = 0; i < pool.count; i++)
        if (pool.block[i]->resident)
            blocks[stall.count++] = pool.block[i];
    OBSERVE(stall, &stall);
    if (kind == STALL_SIGNAL)
        watchdog_die();
    if (kind != STALL_SLOW)
        end_with(EXIT_NOT_JUDGED, "kernel %s gets no further", pool.launch->site.kernel);
}

/* Every block that has begun polls, and was in the same state before, while nobody did anything:
 * none of them will ever go on, unless one that cannot begin would help. */
static void end_if_nobody_can_go_on(void)
{
    for (int i = 0; i < pool.count; i++) {
        const struct block *block = pool.block[i];
        if (block->resident && (!block->fixed || block->stamp != pool.stamp))
            return;
    }
    if (host_has_other_threads())
        return;
    if (!pool.alone) { /* one that ended just now may have changed it since the blocks looked */
        pool.alone = true;
        pool.stamp++;
        return;
    }
    tell_stall(all_have_begun()                ? STALL_DEADLOCK
               : pool.resident >= pool.at_once ? STALL_GRID
                                               : STALL_ROOM,
               0, 0);
}

/* Has anybody done anything since the block last rested? If not, do its threads repeat themselves?
 * To compare their states takes long: not while things move. Where the block was disturbed some may
 * not have run since, and are in the state that they were in for that. */
static void look_at(struct block *block, bool disturbed)
{
    uint64_t activity = block_activity(block);

    if (activity != block->activity) {
        block->activity = activity;
        block->turns = 0;
        pool.stamp++;
    }
    if (block->stamp != pool.stamp) {
        block->stamp = pool.stamp;
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

static struct block *find_block(void);
static void begin_block(struct block *block);

/* Whose turn it is when this block rests: those that rest and those that have not begun by turns,
 * unless nothing has happened since the first of those that rest looked; else its own. */
static struct block *choose_next(struct block *self)
{
    bool stale = pool.first && pool.first->stamp != pool.stamp;
    struct block *next = NULL;

    if (can_start() && !(stale && pool.started_last) && (next = find_block()) != NULL)
        begin_block(next);
    pool.started_last = next != NULL;
    if (!next && pool.first)
        next = dequeue_behind(NULL);
    if (next)
        enqueue(self);
    return next ? next : self;
}

/* The block has changed a word that others poll: these look before it goes on. What this one does
 * is not over: nobody learns from it that it gets no further (look_at). */
static struct block *show(struct block *self)
{
    const void *word = self->shows;
    struct block *next = dequeue_poller(word);

    self->fixed = false;
    self->shows = NULL;
    if (!next)
        return self;
    next->visits = block_polls(next, word);
    for (struct block *b = pool.first; b; b = b->next)
        b->visits = block_polls(b, word);
    enqueue(self);
    return next;
}

/* The block rests: whose turn is it? */
static struct block *rest(struct block *self, bool disturbed)
{
    struct watchdog_call call = watchdog_take();

    if (call.any)
        tell_stall(call.kind, call.seconds, call.signal);
    if (self->shows)
        return show(self);
    look_at(self, disturbed);
    if (self->turns++ > RESTS)
        sched_yield();
    return choose_next(self);
}

/* ---- shared memory ---- */

/* __shared__ variables lie in the thread's memory between these (compile/guard.c), and dynamic
 * shared memory in an array of ours: there each block finds its own, while it runs. */
enum { GUARD = 64 * 1024 };
__thread char simt_guard_before[GUARD] __attribute__((weak)); /* what simtcc did not link */
__thread char simt_guard_after[GUARD] __attribute__((weak));

static size_t static_bytes(void)
{
    const char *begin = simt_guard_before + GUARD;

    return simt_guard_after > begin ? (size_t)(simt_guard_after - begin) : 0;
}

/* Both parts, from where they are to the block's copy, or back. */
static void move_shared(struct block *block, bool back)
{
    struct {
        char *at;
        size_t size;
    } parts[] = {{simt_guard_before + GUARD, static_bytes()},
                 {simt_dynamic_shared, pool.launch->shared}};
    char *copy = block->shared;

    for (int i = 0; i < 2; copy += parts[i++].size)
        memcpy(back ? parts[i].at : copy, back ? copy : parts[i].at, parts[i].size);
}

/* The block's shared memory comes to where kernels find it. */
static void load_shared(struct block *block)
{
    size_t bytes = static_bytes() + pool.launch->shared + 1;
    struct block *before = pool.loaded;

    if (before == block)
        return;
    if (before && before->resident) {
        if (before->shared_room < bytes)
            before->shared = realloc(before->shared, bytes);
        if (!before->shared)
            end_fatal("no memory for %zu bytes of a block's shared memory", bytes);
        before->shared_room = before->shared_room < bytes ? bytes : before->shared_room;
        move_shared(before, false);
        before->saved = true;
    }
    if (block->saved)
        move_shared(block, true);
    block->saved = false;
    pool.loaded = block;
}

/* ---- blocks begin and end ---- */

/* Is there memory for one more, and what is kept of it? What only asks for address space costs
 * nothing. */
static bool has_memory(void)
{
    if (pool.count >= FEW_BLOCKS && available_memory() < MEMORY_OF_OTHERS)
        return false;
    void *probe = malloc(MEMORY_OF_BLOCK);

    free(probe);
    return probe != NULL;
}

/* One that does not run, with room for the launch's threads; NULL: there is no memory for it. */
static struct block *find_block(void)
{
    struct block *block = pool.free;

    if (!block && pool.count < MOST_BLOCKS && (pool.count == 0 || has_memory()) &&
        (block = block_new(pool.count >= FEW_BLOCKS)) != NULL)
        pool.free = pool.block[pool.count++] = block;
    if (block && block_has_room(block, pool.launch->threads)) {
        pool.free = block->next;
        return block;
    }
    pool.full = true;
    return NULL;
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
static void begin_block(struct block *block)
{
    size_t number = shuffled(pool.next++, pool.blocks, pool.launch->order);
    dim3 grid = pool.launch->grid;
    size_t y = number / grid.x;

    block->turns = 0;
    block->fixed = block->saved = false;
    block->activity = UINT64_MAX;
    block->resident = true;
    pool.resident++;
    block_begin(
        block, pool.launch,
        (uint3){(unsigned)(number % grid.x), (unsigned)(y % grid.y), (unsigned)(y / grid.y)});
}

/* On a terminal, a launch that takes long says how far it is; the line is wiped at its end. */
static void show_progress(size_t done)
{
    static time_t began, next;
    static bool shown;
    struct timespec now;

    watchdog_ticked = false;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (done == 0)
        began = now.tv_sec, next = began + 2;
    if ((done < pool.blocks && now.tv_sec < next) || !isatty(STDERR_FILENO))
        return;
    if (done < pool.blocks || shown)
        fprintf(stderr, "\r\033[K");
    shown = done < pool.blocks;
    if (shown)
        fprintf(stderr, "%s: %.0f %% of %zu blocks after %ld s", pool.launch->site.kernel,
                100.0 * (double)done / (double)pool.blocks, pool.blocks,
                (long)(now.tv_sec - began));
    next = now.tv_sec + 1;
}

/* The block has ended: the next one begins in its place, else one that rests has its turn; NULL:
 * that was all. */
static struct block *end_block(struct block *block)
{
    pool.stamp++;
    block->resident = false;
    pool.resident--;
    if (watchdog_ticked)
        show_progress(pool.next - pool.resident);
    if (!all_have_begun()) {
        begin_block(block);
        return block;
    }
    block->next = pool.free;
    pool.free = block;
    return pool.first ? dequeue_behind(NULL) : NULL;
}

void pool_run(const struct launch *launch, size_t at_once)
{
    bool disturbed;

    crash_handle();
    pool.launch = launch;
    pool.blocks = (size_t)launch->grid.x * launch->grid.y * launch->grid.z;
    pool.at_once = at_once;
    pool.next = 0;
    pool.loaded = NULL;
    pool.full = pool.alone = false;
    schedule_launch_begins();
    struct block *block = find_block();
    if (!block)
        end_fatal("no memory for the stacks of %u threads (%d KiB each)", launch->threads,
                  FIBER_STACK_BYTES / 1024);
    begin_block(block);
    show_progress(0);
    watchdog_begin();
    while (block) {
        load_shared(block);
        block = block_continue(block, &disturbed) ? end_block(block) : rest(block, disturbed);
    }
    watchdog_end();
    show_progress(pool.blocks);
}
