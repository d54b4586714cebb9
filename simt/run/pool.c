/* Hands turns from block to block; see pool.h. */
#define _GNU_SOURCE
#include "run/pool.h"
#include "run/available.h"
#include "run/block.h"
#include "run/crash.h"
#include "run/end.h"
#include "run/facts.h"
#include "run/schedule.h"
#include "simt_device.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_PLACES = DEVICE_MOST_BLOCKS,
    FEW_PLACES = 16, /* beyond these memory is looked after */
    RESTS = 50,      /* a block that rests so often in a row lets other programs run */
    /* a block that gets no further for so much of the processor's time shall rest: the launch's
     * first, those that follow, and one that got no further in its last turn */
    MS_OF_FIRST = 500,
    MS_OF_OTHERS = 30,
    MS_OF_IDLER = 5,
    STOPPING_MS = 1000,
    MEMORY_OF_PLACE = 32 * 1024 * 1024,
    MEMORY_OF_OTHERS = 256 * 1024 * 1024 /* what a grid that waits for itself leaves to them */
};

/* Where a block can run, one after the other. */
struct place {
    struct block *block;
    char *shared;             /* its shared memory, while another's is where kernels find it: */
    bool saved;               /* so it is */
    size_t shared_room;       /* bytes that fit there */
    bool resident;            /* its block has begun and not ended */
    int rests;                /* so often in a row */
    bool idle;                /* which got no further since it last rested */
    uint64_t activity, stamp; /* of its block and of all, when it last rested */
    bool fixed;               /* since anybody did anything, its threads only repeat themselves */
    struct place *next;
};

static struct {
    struct work work;
    size_t next; /* the first block that has not begun */
    struct place *place[MOST_PLACES];
    int places;
    size_t resident;
    struct place *running;             /* whose turn it is; */
    struct place *loaded;              /* whose shared memory is where the kernels find it */
    struct place *free, *first, *last; /* those without a block; the queue of those that rest */
    bool full;                         /* there is no memory for a further place */
    bool started_last;                 /* the last turn went to a block that had not begun */
    bool alone;     /* in this launch nobody was seen who could change what blocks wait for */
    uint64_t stamp; /* advances when a block has done anything */
    /* the watchdog's, and what it shares with us */
    pthread_mutex_t lock;
    pthread_cond_t stops;
    pthread_t thread;            /* the one that runs */
    struct lane *volatile *lane; /* its simt_current_lane */
    bool stopping, stopped;      /* it is to stop for good; it has */
    bool disturbs;               /* a block of this launch was made to rest */
    uint64_t progress;
    int64_t since_ms;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .stops = PTHREAD_COND_INITIALIZER};

/* ---- the queue of those that rest ---- */

static void enqueue(struct place *place)
{
    place->next = NULL;
    if (pool.last)
        pool.last->next = place;
    else
        pool.first = place;
    pool.last = place;
}

/* Takes the place behind this one, NULL: the first, off the queue. */
static struct place *dequeue_behind(struct place *before)
{
    struct place **link = before ? &before->next : &pool.first, *place = *link;

    *link = place->next;
    if (pool.last == place)
        pool.last = before;
    return place;
}

/* The first whose block polls this word, or, if word is NULL, has this number; NULL: none. */
static struct place *dequeue_which(const void *word, uint32_t number)
{
    struct place *before = NULL;

    for (struct place *p = pool.first; p; before = p, p = p->next)
        if (word ? block_polls(p->block, word) > 0 : p->block->number == number)
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
    return tasks > 2; /* the one that launched, and the watchdog */
}

static bool all_have_begun(void)
{
    return pool.next == pool.work.blocks;
}

/* Has the device room for one more block? */
static bool can_start(void)
{
    return !all_have_begun() && !pool.full && pool.resident < pool.work.at_once;
}

/* All blocks that have begun; the observer is told where they are. */
static void tell_stall(int kind, long seconds, int signal_number, bool at_rest)
{
    struct block *blocks[MOST_PLACES];
    struct stall stall = {.kind = kind,
                          .launch = pool.work.launch,
                          .blocks = blocks,
                          .waiting = pool.work.blocks - pool.next,
                          .at_once = pool.work.at_once,
                          .seconds = seconds,
                          .signal = signal_number,
                          .at_rest = at_rest};

    for (int i = 0; i < pool.places; i++)
        if (pool.place[i]->resident)
            blocks[stall.count++] = pool.place[i]->block;
    OBSERVE(stall, &stall);
}

/* Every block that has begun polls, and was in the same state before, while nobody did anything:
 * none of them will ever go on, unless one that cannot begin would help. */
static void end_if_nobody_can_go_on(void)
{
    for (int i = 0; i < pool.places; i++) {
        const struct place *place = pool.place[i];
        if (place->resident && (!place->fixed || place->stamp != pool.stamp))
            return;
    }
    if (host_has_other_threads())
        return;
    if (!pool.alone) { /* one that ended just now may have changed it since the blocks looked */
        pool.alone = true;
        pool.stamp++;
        return;
    }
    tell_stall(all_have_begun()                     ? STALL_DEADLOCK
               : pool.resident >= pool.work.at_once ? STALL_GRID
                                                    : STALL_ROOM,
               0, 0, true);
}

/* Has anybody done anything since the block last rested? If not, do its threads repeat themselves?
 * To compare their states takes long: not while things move. Where the block was disturbed some may
 * not have run since, and are in the state that they were in for that. */
static void look_at(struct place *place, bool disturbed)
{
    uint64_t activity = block_activity(place->block);

    place->idle = activity == place->activity;
    if (!place->idle) {
        place->activity = activity;
        place->rests = 0;
        pool.stamp++;
    }
    if (place->stamp != pool.stamp) {
        place->stamp = pool.stamp;
        place->fixed = false;
        block_forget_states(place->block);
        return;
    }
    if (place->fixed || disturbed || can_start())
        return;
    place->fixed = block_repeats(place->block);
    if (place->fixed)
        end_if_nobody_can_go_on();
}

static struct place *find_place(void);
static void begin_block(struct place *place);

/* Whose turn it is when this block rests: those that rest and those that have not begun by turns,
 * unless nothing has happened since the first of those that rest looked; else its own. */
static struct place *choose_next(struct place *self)
{
    bool stale = pool.first && pool.first->stamp != pool.stamp;
    struct place *next = NULL;

    if (can_start() && !(stale && pool.started_last) && (next = find_place()) != NULL)
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
static struct place *show(struct place *self)
{
    const void *word = self->block->shows;
    struct place *next = dequeue_which(word, 0);

    self->fixed = false;
    self->block->shows = NULL;
    if (!next)
        return self;
    next->block->visits = block_polls(next->block, word);
    for (struct place *p = pool.first; p; p = p->next)
        p->block->visits = block_polls(p->block, word);
    enqueue(self);
    return next;
}

/* The block fights for a lock: the one that holds it has the turn, if it rests. */
static struct place *leave_fight(struct place *self)
{
    struct place *rival = dequeue_which(NULL, self->block->rival);

    self->block->fights = 0;
    if (rival)
        enqueue(self);
    return rival ? rival : self;
}

/* For the watchdog tells what there is to tell, and ends the program. */
static void stop_for_good(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.stopped = true;
    pthread_cond_signal(&pool.stops);
    for (;;)
        pthread_cond_wait(&pool.stops, &pool.lock);
}

/* The block rests: whose turn is it? */
static struct place *rest(struct place *self, bool disturbed)
{
    if (__atomic_load_n(&pool.stopping, __ATOMIC_ACQUIRE))
        stop_for_good();
    if (self->block->shows)
        return show(self);
    if (self->block->fights >= MOST_FIGHTS)
        return leave_fight(self);
    look_at(self, disturbed);
    if (self->rests++ > RESTS)
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

/* Both parts, from where they are to the place's copy, or back. */
static void move_shared(struct place *place, bool back)
{
    struct {
        char *at;
        size_t size;
    } parts[] = {{simt_guard_before + GUARD, static_bytes()},
                 {simt_dynamic_shared, pool.work.launch->shared}};
    char *copy = place->shared;

    for (int i = 0; i < 2; copy += parts[i++].size)
        memcpy(back ? parts[i].at : copy, back ? copy : parts[i].at, parts[i].size);
}

/* The place's shared memory comes to where kernels find it. */
static void load_shared(struct place *place)
{
    size_t bytes = static_bytes() + pool.work.launch->shared + 1;
    struct place *before = pool.loaded;

    if (before == place)
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
    if (place->saved)
        move_shared(place, true);
    place->saved = false;
    pool.loaded = place;
}

/* ---- places ---- */

/* Is there memory for one more, and what is kept of its blocks? What only asks for address space
 * costs nothing. */
static bool has_memory(void)
{
    if (pool.places >= FEW_PLACES && available_memory() < MEMORY_OF_OTHERS)
        return false;
    void *probe = malloc(MEMORY_OF_PLACE);

    free(probe);
    return probe != NULL;
}

static struct place *new_place(void)
{
    struct place *place = pool.places < MOST_PLACES ? calloc(1, sizeof *place) : NULL;

    if (!place || !(place->block = block_new(pool.places >= FEW_PLACES))) {
        free(place);
        return NULL;
    }
    return pool.place[pool.places++] = place;
}

/* One without a block, with room for the launch's threads; NULL: there is no memory for it. */
static struct place *find_place(void)
{
    struct place *place = pool.free;

    if (!place && (pool.places == 0 || has_memory()))
        place = pool.free = new_place();
    if (place && block_has_room(place->block, pool.work.launch->threads)) {
        pool.free = place->next;
        return place;
    }
    pool.full = true;
    return NULL;
}

/* The next block begins there. */
static void begin_block(struct place *place)
{
    place->rests = 0;
    place->idle = place->fixed = place->saved = false;
    place->activity = UINT64_MAX;
    block_begin(place->block, pool.work.launch, pool.work.block(pool.work.launch, pool.next));
    __atomic_store_n(&pool.next, pool.next + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&pool.resident, pool.resident + 1, __ATOMIC_RELAXED);
    place->resident = true;
}

/* The block that ran there has ended: the next one begins in its place, else one that rests has its
 * turn; NULL: that was all. */
static struct place *end_block(struct place *place)
{
    pool.stamp++;
    place->resident = false;
    __atomic_store_n(&pool.resident, pool.resident - 1, __ATOMIC_RELAXED);
    if (!all_have_begun()) {
        begin_block(place);
        return place;
    }
    place->next = pool.free;
    pool.free = place;
    return pool.first ? dequeue_behind(NULL) : NULL;
}

static void run_all(struct place *place)
{
    bool disturbed;

    while (place) {
        __atomic_store_n(&pool.running, place, __ATOMIC_RELEASE);
        load_shared(place);
        place =
            block_continue(place->block, &disturbed) ? end_block(place) : rest(place, disturbed);
    }
}

void pool_run(const struct work *work)
{
    pthread_mutex_lock(&pool.lock);
    crash_handle();
    pool.work = *work;
    pool.next = 0;
    pool.thread = pthread_self();
    pool.lane = (struct lane *volatile *)&simt_current_lane;
    pool.loaded = NULL;
    pool.full = pool.disturbs = pool.alone = false;
    pool.progress = UINT64_MAX;
    schedule_launch_begins();
    struct place *first = find_place();
    if (!first)
        end_fatal("no memory for the stacks of %u threads (%d KiB each)", work->launch->threads,
                  FIBER_STACK_BYTES / 1024);
    begin_block(first);
    work->show(work->launch, 0, work->blocks);
    pthread_mutex_unlock(&pool.lock);

    run_all(first);

    pthread_mutex_lock(&pool.lock);
    work->show(work->launch, work->blocks, work->blocks);
    pool.work.launch = NULL;
    pthread_mutex_unlock(&pool.lock);
}

/* ---- the watchdog's ---- */

struct pool_state pool_state(void)
{
    struct pool_state state = {0};

    pthread_mutex_lock(&pool.lock);
    if (pool.work.launch)
        state.launch = pool.work.launch->number;
    for (int i = 0; i < pool.places; i++)
        state.ended += pool.place[i]->block->ended;
    pthread_mutex_unlock(&pool.lock);
    return state;
}

/* insist: it has not come to a hook since it was disturbed. */
static void disturb(struct block *block, bool insist)
{
    struct lane *lane = *pool.lane;

    if (!lane || lane->block != block)
        return;
    block_disturb(block, lane);
    if (insist)
        pthread_kill(pool.thread, crash_nudge());
}

/* Time that the processor gave to the kernel: a busy computer disturbs nobody. */
static int64_t cpu_ms(void)
{
    struct timespec time = {0};
    clockid_t its_clock;

    if (pthread_getcpuclockid(pool.thread, &its_clock) == 0)
        clock_gettime(its_clock, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int patience_ms(const struct place *place)
{
    if (!pool.disturbs)
        return MS_OF_FIRST;
    return place->rests > 0 ? MS_OF_IDLER : MS_OF_OTHERS;
}

static void show_progress(void)
{
    size_t begun = __atomic_load_n(&pool.next, __ATOMIC_RELAXED);
    size_t resident = __atomic_load_n(&pool.resident, __ATOMIC_RELAXED);

    if (resident > 0 && resident < begun)
        pool.work.show(pool.work.launch, begun - resident, pool.work.blocks);
}

void pool_tick(void)
{
    pthread_mutex_lock(&pool.lock);
    struct place *place = __atomic_load_n(&pool.running, __ATOMIC_ACQUIRE);
    if (pool.work.launch && place) {
        struct block *block = place->block;
        int64_t now = cpu_ms();
        show_progress();
        if (block->progress != pool.progress) {
            pool.progress = block->progress;
            pool.since_ms = now;
        } else if (now - pool.since_ms >= patience_ms(place)) {
            pool.disturbs = true;
            disturb(block, block->disturbed || block->endless);
        }
    }
    pthread_mutex_unlock(&pool.lock);
}

/* False if the kernel cannot be stopped. */
static bool stop(void)
{
    struct timespec wait = {0, 1000 * 1000};

    __atomic_store_n(&pool.stopping, true, __ATOMIC_RELEASE);
    for (int ms = 0; ms < STOPPING_MS && !pool.stopped; ms++) {
        struct place *place = __atomic_load_n(&pool.running, __ATOMIC_ACQUIRE);
        disturb(place->block, ms > 0 && ms % 4 == 0);
        pthread_mutex_unlock(&pool.lock);
        nanosleep(&wait, NULL);
        pthread_mutex_lock(&pool.lock);
        if (!pool.work.launch)
            break;
    }
    return pool.stopped;
}

void pool_stall(int kind, long seconds, int signal_number)
{
    pthread_mutex_lock(&pool.lock);
    bool at_rest = kind != STALL_SLOW && pool.work.launch && stop();
    if (pool.work.launch)
        tell_stall(kind, seconds, signal_number, at_rest);
    __atomic_store_n(&pool.stopping, false, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&pool.lock);
}
