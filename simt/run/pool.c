/* Hands turns from block to block; see pool.h. */
#define _GNU_SOURCE
#include "run/pool.h"
#include "run/async.h"
#include "run/available.h"
#include "run/block.h"
#include "run/crash.h"
#include "run/end.h"
#include "run/facts.h"
#include "run/schedule.h"
#include "simt.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_RUNNERS = DEVICE_MOST_BLOCKS + SIMT_MAX_THREADS,
    RESTS = 50, /* a block rests as often for a running one before it gives its turn away */
    /* a block that gets no further for so much of its OS thread's time shall rest: the launch's
     * first, those that follow, and one that got no further in its last turn */
    MS_OF_FIRST = 500,
    MS_OF_OTHERS = 30,
    MS_OF_IDLER = 5,
    /* others join the OS thread that has begun a launch when that took so much of its time */
    MS_ALONE = 20,
    STOPPING_MS = 1000,
    /* a block that changed what others poll waits so long for a look; so often in vain in a launch
     */
    MS_OF_LOOK = 2,
    MOST_VAIN = 20,
    MEMORY_OF_RUNNER = 32 * 1024 * 1024,
    MEMORY_OF_OTHERS = 256 * 1024 * 1024 /* what a grid that waits for itself leaves to them */
};

/* An OS thread that runs blocks: number 0 is the host's first one that launched. */
struct runner {
    struct block *block;
    pthread_cond_t turn;
    pthread_t thread;
    struct lane *volatile *current; /* its simt_current_lane */
    bool mine;                      /* it may run */
    bool resident;                  /* its block has begun and not ended */
    bool idle;                      /* which got no further since it last rested */
    bool stopped;                   /* for good */
    int rests;                      /* so often in a row */
    uint64_t activity, stamp;       /* of its block and of all, when it last rested */
    const void *shows;              /* a word that it has changed: pollers are to look */
    bool fixed; /* since anybody did anything, its threads only repeat themselves */
    /* the watchdog's */
    uint64_t progress;
    int64_t since_ms;
    struct runner *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t end;
    struct work work;
    size_t next; /* the first block that nobody has taken, atomic */
    struct runner *runner[MOST_RUNNERS];
    int runners, running; /* there are; of which it is so many's turn */
    int turns;            /* so many may run: one, until others have joined */
    bool takes_long;      /* others shall join */
    int64_t began_ms;     /* the program's processor time when the launch began */
    size_t resident;
    struct runner *free, *first, *last; /* those that sleep; the queue of those that rest */
    unsigned vain;                      /* waits for others to look, in this launch, that were so */
    bool full;                          /* no further OS thread can be started */
    bool host_runs;                     /* this launch's host thread is runner 0 */
    bool started_last;                  /* the last turn went to a block that had not begun */
    bool disturbs;                      /* a block of this launch was made to rest */
    bool alone; /* in this launch nobody was seen who could change what blocks wait for */
    bool stopping;
    uint64_t stamp; /* advances when a block has done anything */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = PTHREAD_COND_INITIALIZER};

/* ---- the queue of those that rest ---- */

static void enqueue(struct runner *runner)
{
    runner->next = NULL;
    if (pool.last)
        pool.last->next = runner;
    else
        pool.first = runner;
    pool.last = runner;
}

/* Takes the runner behind this one, NULL: the first, off the queue. */
static struct runner *dequeue_behind(struct runner *before)
{
    struct runner **link = before ? &before->next : &pool.first, *runner = *link;

    *link = runner->next;
    if (pool.last == runner)
        pool.last = before;
    return runner;
}

static struct runner *dequeue(void)
{
    return dequeue_behind(NULL);
}

/* The first whose block polls this word; NULL: none does. */
static struct runner *dequeue_poller(const void *word)
{
    struct runner *before = NULL;

    for (struct runner *r = pool.first; r; before = r, r = r->next)
        if (block_polls(r->block, word))
            return dequeue_behind(before);
    return NULL;
}

/* The one whose block has this number; NULL: it does not rest. */
static struct runner *dequeue_block(uint32_t number)
{
    struct runner *before = NULL;

    for (struct runner *r = pool.first; r; before = r, r = r->next)
        if (r->block->number == number)
            return dequeue_behind(before);
    return NULL;
}

/* It is the runner's turn. */
static void give_turn(struct runner *runner)
{
    runner->mine = true;
    runner->idle = false;
    runner->progress = UINT64_MAX;
    pthread_cond_signal(&runner->turn);
}

static void wait_for_turn(struct runner *runner)
{
    while (!runner->mine)
        pthread_cond_wait(&runner->turn, &pool.lock);
}

/* The runner's turn goes to another; NULL: to nobody, until the watchdog looks. */
static void hand_turn(struct runner *self, struct runner *next)
{
    self->mine = false;
    enqueue(self);
    if (next)
        give_turn(next);
    else
        pool.running--;
    wait_for_turn(self);
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
    /* one that launched, the pool's, of whom number 0 is the host's, and the watchdog */
    return tasks > pool.runners - 1 + 2;
}

static size_t blocks_begun(void)
{
    size_t next = __atomic_load_n(&pool.next, __ATOMIC_RELAXED);
    return next < pool.work.blocks ? next : pool.work.blocks;
}

static bool all_have_begun(void)
{
    return blocks_begun() == pool.work.blocks;
}

/* Has the device room for one more block, beside those that are about to begin? */
static bool can_start(void)
{
    if (all_have_begun() || pool.full)
        return false;
    size_t taken = pool.resident;
    for (int i = 0; i < pool.runners; i++)
        taken += pool.runner[i]->mine && !pool.runner[i]->resident;
    return taken < pool.work.at_once;
}

/* All blocks that have begun; the observer is told where they are. */
static void tell_stall(int kind, long seconds, int signal_number, bool at_rest)
{
    struct block *blocks[MOST_RUNNERS];
    struct stall stall = {.kind = kind,
                          .launch = pool.work.launch,
                          .blocks = blocks,
                          .waiting = pool.work.blocks - blocks_begun(),
                          .at_once = pool.work.at_once,
                          .seconds = seconds,
                          .signal = signal_number,
                          .at_rest = at_rest};

    for (int i = 0; i < pool.runners; i++)
        if (pool.runner[i]->resident)
            blocks[stall.count++] = pool.runner[i]->block;
    simt_observer.stall(&stall);
}

static bool stop_all(void);

/* Every block that has begun polls, and was in the same state before, while nobody did anything:
 * none of them will ever go on, unless one that cannot begin would help. */
static void end_if_nobody_can_go_on(struct runner *self)
{
    for (int i = 0; i < pool.runners; i++) {
        const struct runner *runner = pool.runner[i];
        if (runner->mine && !runner->resident)
            return; /* between two blocks */
        if (runner->resident && (!runner->fixed || runner->stamp != pool.stamp))
            return;
    }
    if (host_has_other_threads())
        return;
    if (!pool.alone) { /* one that ended just now may have changed it since the blocks looked */
        pool.alone = true;
        __atomic_add_fetch(&pool.stamp, 1, __ATOMIC_SEQ_CST);
        return;
    }
    self->stopped = true; /* here, with its block at rest */
    bool at_rest = stop_all();
    tell_stall(all_have_begun()                     ? STALL_DEADLOCK
               : pool.resident >= pool.work.at_once ? STALL_GRID
                                                    : STALL_ROOM,
               0, 0, at_rest);
}

/* Has anybody done anything since the block last rested? If not, do its threads repeat themselves?
 * To compare their states takes long: not while things move. Where the block was disturbed some may
 * not have run since, and are in the state that they were in for that. */
static void look_at(struct runner *runner, bool disturbed)
{
    uint64_t activity = block_activity(runner->block);

    runner->idle = activity == runner->activity;
    if (!runner->idle) {
        runner->activity = activity;
        runner->rests = 0;
        __atomic_add_fetch(&pool.stamp, 1, __ATOMIC_SEQ_CST);
    }
    if (runner->stamp != pool.stamp) {
        runner->stamp = pool.stamp;
        runner->fixed = false;
        block_forget_states(runner->block);
        return;
    }
    if (runner->fixed || disturbed || can_start())
        return;
    runner->fixed = block_repeats(runner->block);
    if (runner->fixed)
        end_if_nobody_can_go_on(runner);
}

/* Is it also the turn of a block that may be busy with what this one waits for? */
static bool another_is_busy(const struct runner *self)
{
    for (int i = 0; i < pool.runners; i++)
        if (pool.runner[i] != self && pool.runner[i]->mine && !pool.runner[i]->idle)
            return true;
    return false;
}

/* Need the block not look itself? Whoever changes what it polls gives it a turn (show); when it
 * comes to a lock is the watchdog's to say (leave_fight). */
static bool is_called(const struct block *block)
{
    return block->pollers > 0 || block->gave_way;
}

static struct runner *start_runner(void);

/* Whose turn it is when this block rests: those that rest and those that have not begun by turns,
 * unless nothing has happened since the first of those that rest looked. NULL: its own. */
static struct runner *choose_next(void)
{
    bool queued = pool.first != NULL, stale = queued && pool.first->stamp != pool.stamp;
    struct runner *next = NULL;

    if (can_start() && !(stale && pool.started_last))
        next = start_runner();
    pool.started_last = next != NULL;
    return next || !queued ? next : dequeue();
}

static void give_one_more_turn(struct runner *runner)
{
    pool.running++;
    give_turn(runner);
}

/* Turns that nobody has go to those that rest, if anything has happened since they looked. */
static void use_turns(void)
{
    while (pool.running < pool.turns && pool.first && pool.first->stamp != pool.stamp)
        give_one_more_turn(dequeue());
}

/* Others join the OS thread that has begun the launch, if it is time. */
static bool others_join(void)
{
    if (pool.turns == pool.work.threads || !(pool.takes_long || schedule_has_done_much()))
        return false;
    pool.turns = pool.work.threads;
    schedule_others_join();
    use_turns();
    for (struct runner *next; pool.running < pool.turns && can_start() && (next = start_runner());)
        give_one_more_turn(next);
    return true;
}

/* Called with the pool locked, by a runner that is to run no further: never returns. */
static void stop_for_good(struct runner *self)
{
    self->stopped = true;
    pthread_cond_signal(&pool.end);
    for (;;)
        pthread_cond_wait(&self->turn, &pool.lock);
}

/* Has the block changed a word that this one polls, which is to look now? */
static bool is_to_look(const struct runner *self)
{
    for (int i = 0; i < pool.runners; i++)
        if (pool.runner[i]->shows && block_polls(self->block, pool.runner[i]->shows))
            return true;
    return false;
}

static int64_t ms_of(clockid_t its_clock)
{
    struct timespec time = {0};

    clock_gettime(its_clock, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Have all pollers of other blocks left or looked twice? A look that was under way does not count.
 */
static bool have_looked(const struct runner *self, struct looks before)
{
    struct looks now = schedule_looks(self->shows);

    return (int)(now.count - before.count) >= 2 * (int)(now.pollers - self->block->own_pollers);
}

/* Gives the turn to a block that rests and polls the word, or lets other OS threads run until those
 * that poll it have looked. */
static void wait_for_looks(struct runner *self)
{
    struct looks before = schedule_looks(self->shows);

    for (int64_t end = ms_of(CLOCK_MONOTONIC) + MS_OF_LOOK;
         ms_of(CLOCK_MONOTONIC) <= end && pool.vain < MOST_VAIN;) {
        struct runner *next = dequeue_poller(self->shows);
        if (next) {
            next->block->visits = block_polls(next->block, self->shows);
            for (struct runner *r = pool.first; r; r = r->next)
                r->block->visits = block_polls(r->block, self->shows);
            self->shows = NULL; /* it waits for no look, but for its turn */
            hand_turn(self, next);
            return;
        }
        if (pool.stopping || have_looked(self, before))
            return;
        pthread_mutex_unlock(&pool.lock);
        sched_yield();
        pthread_mutex_lock(&pool.lock);
    }
    pool.vain++;
}

/* The runner's block has changed a word that others poll: these look before it goes on. What this
 * one does is not over: nobody learns from it that it gets no further (look_at). */
static void show(struct runner *self)
{
    pthread_mutex_lock(&pool.lock);
    self->fixed = false;
    self->shows = self->block->shows;
    self->block->shows = NULL;
    if (!pool.stopping)
        wait_for_looks(self);
    self->shows = NULL;
    if (pool.stopping)
        stop_for_good(self);
    pthread_mutex_unlock(&pool.lock);
}

/* The runner's block fights for a lock. If the one that holds it rests, that has the turn; if it
 * runs, this one leaves it alone for a while. */
static void leave_fight(struct runner *self)
{
    pthread_mutex_lock(&pool.lock);
    self->block->fights = 0;
    struct runner *rival = pool.stopping ? NULL : dequeue_block(self->block->rival);
    if (rival || (pool.running > 1 && !pool.stopping))
        hand_turn(self, rival);
    if (pool.stopping)
        stop_for_good(self);
    pthread_mutex_unlock(&pool.lock);
}

/* The runner's block rests: others have their turn, if there are any. */
static void rest(struct runner *self, bool disturbed)
{
    if (self->block->shows) {
        show(self);
        return;
    }
    if (self->block->fights >= MOST_FIGHTS) {
        leave_fight(self);
        return;
    }
    pthread_mutex_lock(&pool.lock);
    if (pool.stopping)
        stop_for_good(self);
    look_at(self, disturbed);
    self->rests++;
    use_turns();
    if (others_join() || is_to_look(self)) {
        pthread_mutex_unlock(&pool.lock);
        return;
    }
    if (disturbed || self->rests > RESTS || !another_is_busy(self) || is_called(self->block)) {
        struct runner *next = choose_next();
        if (next || (!disturbed && pool.running > 1))
            hand_turn(self, next);
    }
    if (pool.stopping)
        stop_for_good(self);
    pthread_mutex_unlock(&pool.lock);
    if (self->rests > RESTS)
        sched_yield();
}

/* ---- a runner's share of a launch ---- */

/* Takes the next block; false when there is none. */
static bool take_block(size_t *i)
{
    *i = __atomic_fetch_add(&pool.next, 1, __ATOMIC_RELAXED);
    return *i < pool.work.blocks;
}

/* Blocks begin and end without the lock, and often. */
static void block_has_begun(struct runner *self)
{
    self->rests = 0;
    self->idle = false;
    self->activity = UINT64_MAX;
    __atomic_add_fetch(&pool.resident, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&self->resident, true, __ATOMIC_SEQ_CST);
}

static void block_has_ended(struct runner *self)
{
    __atomic_add_fetch(&pool.stamp, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&self->resident, false, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&pool.resident, 1, __ATOMIC_SEQ_CST);
}

static void run_share(struct runner *self)
{
    const struct launch *launch = pool.work.launch;

    for (size_t i; take_block(&i);) {
        if (pool.turns < pool.work.threads && schedule_has_done_much()) {
            pthread_mutex_lock(&pool.lock);
            others_join();
            pthread_mutex_unlock(&pool.lock);
        }
        block_begin(self->block, launch, pool.work.block(launch, i));
        block_has_begun(self);
        for (bool disturbed; !block_continue(self->block, &disturbed);)
            rest(self, disturbed);
        block_has_ended(self);
    }
}

/* The runner has nothing left to do: called with the pool locked. */
static void end_turn(struct runner *self)
{
    self->mine = false;
    if (pool.first)
        give_turn(dequeue());
    else if (--pool.running == 0)
        pthread_cond_signal(&pool.end);
}

/* ---- the OS threads ---- */

static struct runner *runner_new(void)
{
    struct runner *runner = calloc(1, sizeof *runner);

    if (!runner || !(runner->block = block_new(pool.runners >= SIMT_MAX_THREADS))) {
        free(runner);
        return NULL;
    }
    pthread_cond_init(&runner->turn, NULL);
    return runner;
}

static void register_runner(struct runner *runner)
{
    crash_handle();
    runner->thread = pthread_self();
    __atomic_store_n(&runner->current, (struct lane *volatile *)&simt_current_lane,
                     __ATOMIC_RELEASE);
}

static void *worker(void *arg)
{
    struct runner *self = arg;

    register_runner(self);
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        wait_for_turn(self);
        pthread_mutex_unlock(&pool.lock);
        run_share(self);
        pthread_mutex_lock(&pool.lock);
        end_turn(self);
        self->next = pool.free;
        pool.free = self;
    }
    return NULL;
}

/* Is there memory for one more OS thread and what is kept of its blocks? What only asks for address
 * space costs nothing. */
static bool has_memory(void)
{
    if (pool.runners >= SIMT_MAX_THREADS && available_memory() < MEMORY_OF_OTHERS)
        return false;
    void *probe = malloc(MEMORY_OF_RUNNER);

    free(probe);
    return probe != NULL;
}

/* One that sleeps, or a new one; NULL if no OS thread can be started. It is not its turn yet.
 * Called with the pool locked. */
static struct runner *start_runner(void)
{
    struct runner *runner = pool.free;
    unsigned threads = pool.work.launch->threads;
    pthread_t thread;

    if (runner && !block_has_room(runner->block, threads))
        pool.full = true;
    if (runner && !pool.full) {
        pool.free = runner->next;
        return runner;
    }
    if (runner || pool.runners == MOST_RUNNERS || !has_memory() || !(runner = runner_new())) {
        pool.full = true;
        return NULL;
    }
    if (!block_has_room(runner->block, threads) ||
        pthread_create(&thread, NULL, worker, runner) != 0) {
        block_free(runner->block);
        free(runner);
        pool.full = true;
        return NULL;
    }
    pthread_detach(thread);
    pool.runner[pool.runners++] = runner;
    return runner;
}

/* Is the calling OS thread the first that ever launched? It becomes runner 0. */
static bool is_first(void)
{
    static _Thread_local bool first;

    if (!pool.runner[0]) {
        pool.runner[0] = runner_new();
        if (!pool.runner[0])
            end_fatal("no memory for a block of threads");
        pool.runners = 1;
        register_runner(pool.runner[0]);
        first = true;
    }
    return first;
}

void pool_run(const struct work *work)
{
    pthread_mutex_lock(&pool.lock);
    bool first = pool.host_runs = is_first();
    struct runner *self = pool.runner[0];

    if (first && !block_has_room(self->block, work->launch->threads))
        end_fatal("no memory for the stacks of %u threads (%d KiB each)", work->launch->threads,
                  FIBER_STACK_BYTES / 1024);
    pool.work = *work;
    pool.next = 0;
    pool.full = pool.disturbs = pool.alone = false;
    pool.vain = 0;
    schedule_launch_begins(work->threads == 1);
    pool.began_ms = ms_of(CLOCK_PROCESS_CPUTIME_ID);
    pool.takes_long = false;
    pool.turns = 1;
    pool.running = 1;
    struct runner *begins = first ? self : start_runner();
    if (!begins)
        end_fatal("cannot start an OS thread that runs blocks");
    give_turn(begins);
    work->show(work->launch, 0, work->blocks);
    pthread_mutex_unlock(&pool.lock);

    if (first)
        run_share(self);

    pthread_mutex_lock(&pool.lock);
    if (first)
        end_turn(self);
    while (pool.running > 0)
        pthread_cond_wait(&pool.end, &pool.lock);
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
    for (int i = 0; i < pool.runners; i++)
        state.ended += pool.runner[i]->block->ended;
    pthread_mutex_unlock(&pool.lock);
    return state;
}

/* insist: it has not come to a hook since it was disturbed. */
static void disturb(struct runner *runner, bool insist)
{
    struct lane *lane = runner->current ? *runner->current : NULL;

    if (!lane)
        return;
    block_disturb(runner->block, lane);
    if (insist)
        pthread_kill(runner->thread, crash_nudge());
}

/* Time that the processor gave to the runner: a busy computer disturbs nobody. */
static int64_t cpu_ms(const struct runner *runner)
{
    clockid_t its_clock;

    if (!runner->current || pthread_getcpuclockid(runner->thread, &its_clock) != 0)
        return 0;
    return ms_of(its_clock);
}

static int patience_ms(const struct runner *runner)
{
    if (!pool.disturbs)
        return MS_OF_FIRST;
    return runner->rests > 0 ? MS_OF_IDLER : MS_OF_OTHERS;
}

/* Blocks that begin or end just now may be counted or not. */
static void show_progress(void)
{
    size_t begun = __atomic_load_n(&pool.next, __ATOMIC_RELAXED), blocks = pool.work.blocks;
    size_t resident = __atomic_load_n(&pool.resident, __ATOMIC_RELAXED);

    begun = begun < blocks ? begun : blocks;
    if (pool.work.launch && resident > 0 && resident < begun)
        pool.work.show(pool.work.launch, begun - resident, blocks);
}

void pool_tick(void)
{
    pthread_mutex_lock(&pool.lock);
    show_progress();
    pool.takes_long = pool.work.launch && pool.turns < pool.work.threads &&
                      ms_of(CLOCK_PROCESS_CPUTIME_ID) - pool.began_ms >= MS_ALONE;
    if (pool.first && pool.running < pool.turns && !pool.stopping)
        give_one_more_turn(dequeue());
    for (int i = 0; pool.work.launch && i < pool.runners; i++) {
        struct runner *runner = pool.runner[i];
        if (!runner->mine || !runner->resident)
            continue;
        if (pool.turns > 1)
            runner->block->fights = 0;
        if (pool.takes_long)
            disturb(runner, runner->block->disturbed);
        int64_t now = cpu_ms(runner);
        if (runner->block->progress != runner->progress) {
            runner->progress = runner->block->progress;
            runner->since_ms = now;
        } else if (now - runner->since_ms >= patience_ms(runner)) {
            pool.disturbs = true;
            disturb(runner, runner->block->disturbed || runner->block->endless);
        }
    }
    pthread_mutex_unlock(&pool.lock);
}

static bool all_have_stopped(void)
{
    for (int i = 0; i < pool.runners; i++)
        if (pool.runner[i]->mine && !pool.runner[i]->stopped)
            return false;
    return true;
}

/* False if some block cannot be stopped. */
static bool stop_all(void)
{
    struct timespec wait = {0, 1000 * 1000};

    pool.stopping = true;
    for (int ms = 0; ms < STOPPING_MS && !all_have_stopped(); ms++) {
        for (int i = 0; i < pool.runners; i++)
            if (pool.runner[i]->mine)
                disturb(pool.runner[i], ms > 0 && ms % 4 == 0);
        pthread_mutex_unlock(&pool.lock);
        nanosleep(&wait, NULL);
        pthread_mutex_lock(&pool.lock);
    }
    return all_have_stopped();
}

void pool_stall(int kind, long seconds, int signal_number)
{
    pthread_mutex_lock(&pool.lock);
    bool at_rest = kind != STALL_SLOW && pool.work.launch && stop_all();
    if (pool.work.launch)
        tell_stall(kind, seconds, signal_number, at_rest);
    pool.stopping = false;
    pthread_mutex_unlock(&pool.lock);
}
