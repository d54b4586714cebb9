/* A timer that interrupts the launch every few milliseconds, on the OS thread that runs it, and
 * looks whether the launch gets any further; see block.h. */
#include "run/block.h"
#include "run/end.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

enum {
    TICK = SIGURG, /* no program uses this signal, and it is ignored by default */
    TICK_MS = 5,
    STOPPING_TICKS = 200, /* after Ctrl-C, a block has so long to come to rest */
    /* milliseconds of the processor's time, which a busy or sleeping computer does not spend */
    SLOW_MS = 5000,    /* a launch in which no thread ends for so long is slow */
    MS_OF_FIRST = 500, /* a lane that does no work (run/block.h) for so long must rest, */
    MS_OF_OTHERS = 5   /* and after the launch's first such lane, for so long */
};

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static long limit = -1; /* seconds; -1: not read yet */
static int timer;       /* the kernel's number */
static volatile sig_atomic_t is_running, caught;
static struct stall call; /* to be told when the block rests */

/* The launch that is watched, as it was at the last tick. */
static struct {
    uint64_t ended;           /* threads that have ended */
    uint64_t progress;        /* of the block that ran (block.progress), */
    unsigned work;            /* and its work */
    const struct event *next; /* where the log of the lane that ran ended */
    int64_t ended_ms;         /* processor time when the number of ended threads changed last */
    int64_t since_ms;         /* processor time when a lane last got further */
    int stopping;             /* ticks since Ctrl-C */
    bool told;                /* that the launch is slow */
    bool disturbs;            /* it has made a block of this launch rest */
} watch;

static int64_t cpu_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Sets `call` if there is something to be told as soon as the block rests. */
static void look_at_time(int64_t now)
{
    if (block_threads_ended != watch.ended)
        watch.ended_ms = now;
    watch.ended = block_threads_ended;
    int64_t since = now - watch.ended_ms;
    if (caught) {
        call = (struct stall){.kind = STALL_SIGNAL, .signal = caught};
        if (++watch.stopping >= STOPPING_TICKS)
            end_by_signal(caught);
    } else if (limit > 0 && since >= limit * 1000) {
        call = (struct stall){.kind = STALL_STOPPED, .seconds = limit};
    } else if (!watch.told && since >= SLOW_MS) {
        call = (struct stall){.kind = STALL_SLOW, .seconds = SLOW_MS / 1000};
        watch.told = true;
    }
}

/* Must the lane rest, because it comes to no hook or because there is something to be told? */
static bool shall_rest(const struct lane *lane, int64_t now)
{
    const struct block *block = lane->block;

    if (block->progress != watch.progress || block->work != watch.work ||
        lane->log.next != watch.next)
        watch.since_ms = now;
    watch.progress = block->progress;
    watch.work = block->work;
    watch.next = lane->log.next;
    bool stuck = now - watch.since_ms >= (watch.disturbs ? MS_OF_OTHERS : MS_OF_FIRST);
    watch.disturbs |= stuck;
    return stuck || call.kind != STALL_NONE;
}

/* The lane has come to no hook since its block was disturbed. So it rests here: this frame stays on
 * its stack until it runs on. It does not rest in a library's code, where it may hold a lock. */
static void interrupt(struct lane *lane, const char *pc)
{
    if (stray_is_shadow() || !end_in_program(pc))
        return;
    lane->block->endless = true;
    lane->interrupted = pc + 1;
    schedule_rest(lane);
    lane->interrupted = NULL;
}

static void on_tick(int signal_number, siginfo_t *info, void *context)
{
    struct lane *lane = simt_current_lane;
    int64_t now = cpu_ms();
    int saved = errno;

    (void)signal_number, (void)info;
    look_at_time(now);
    if (lane && shall_rest(lane, now)) {
        bool insist = lane->block->disturbed || lane->block->endless;
        lane->block->disturbed = true;
        lane->log.end = LOG_STOP;
        if (insist)
            interrupt(lane, end_pc(context));
    }
    errno = saved;
}

/* For Ctrl-C and the like. A second one ends the program at once. */
static void on_signal(int signal_number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    if (!is_running || caught)
        end_by_signal(signal_number);
    caught = signal_number;
}

/* Unless the program handles it itself. */
static void handle(int signal_number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction before,
        ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};

    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
        !(before.sa_flags & SA_SIGINFO))
        sigaction(signal_number, &ours, NULL);
}

void watchdog_handle(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        handle(signals[i], on_signal);
}

void watchdog_begin(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK};
    const struct timespec ms = {0, TICK_MS * 1000000};
    const struct itimerspec times = {ms, ms};

    if (limit < 0) {
        limit = end_setting("SIMT_WATCHDOG", 60, INT32_MAX, "seconds, or 0 for no watchdog");
        handle(TICK, on_tick);
    }
    memset(&watch, 0, sizeof watch);
    watch.since_ms = watch.ended_ms = cpu_ms();
    call.kind = STALL_NONE;
    is_running = true;
    /* system calls: older C libraries have the functions in a library of their own */
    event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0 ||
        syscall(SYS_timer_settime, timer, 0, &times, NULL) != 0)
        end_fatal("cannot start the timer that watches the launch");
}

void watchdog_end(void)
{
    syscall(SYS_timer_delete, timer);
    is_running = false;
    if (caught)
        end_by_signal(caught);
}

struct stall watchdog_calls(void)
{
    struct stall told = call;

    call.kind = STALL_NONE;
    return told;
}
