/* Looks every few milliseconds whether the launch gets any further. */
#define _GNU_SOURCE
#include "run/end.h"
#include "run/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 5, SLOW_MS = 5000, MOST_MS_A_TICK = 100 };

static long limit; /* seconds */
static volatile sig_atomic_t caught;

static long read_limit(void)
{
    const char *text = getenv("SIMT_WATCHDOG");
    char *end;

    if (!text || !*text)
        return 60;
    long seconds = strtol(text, &end, 10);
    if (*end || seconds < 0)
        end_usage("SIMT_WATCHDOG=%s: want seconds, or 0 for no watchdog", text);
    return seconds;
}

/* Milliseconds since the last call. A computer that slept, or a program that was stopped, was not
 * waited for. */
static long passed(struct timespec *last)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    long ms = (now.tv_sec - last->tv_sec) * 1000 + (now.tv_nsec - last->tv_nsec) / 1000000;
    *last = now;
    return ms < MOST_MS_A_TICK ? ms : MOST_MS_A_TICK;
}

/* The launch that is watched, and for how long none of its threads has ended. */
struct watch {
    struct pool_state seen;
    long still_ms;
    bool told;
};

static void look(struct watch *watch, long ms)
{
    struct pool_state now = pool_state();

    if (now.launch != watch->seen.launch)
        watch->told = false;
    if (now.launch != watch->seen.launch || now.ended != watch->seen.ended || now.launch == 0)
        watch->still_ms = 0;
    else
        watch->still_ms += ms;
    watch->seen = now;
    if (now.launch == 0)
        return;
    pool_tick();
    if (limit > 0 && watch->still_ms >= limit * 1000)
        pool_stall(STALL_STOPPED, limit, 0);
    if (!watch->told && watch->still_ms >= SLOW_MS) {
        watch->told = true;
        pool_stall(STALL_SLOW, SLOW_MS / 1000, 0);
    }
}

/* Dies as it would have without the handler. */
static void die_of(int signal_number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal_number);
    signal(signal_number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), signal_number);
}

static void *watch(void *unused)
{
    struct timespec tick = {0, TICK_MS * 1000000}, last;
    struct watch watch = {0};

    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &last);
    for (;;) {
        nanosleep(&tick, NULL);
        look(&watch, passed(&last));
        if (caught) {
            pool_stall(STALL_SIGNAL, 0, caught);
            die_of(caught);
        }
    }
    return NULL;
}

/* The report is the watchdog's: a handler may interrupt anything. */
static void on_signal(int signal_number)
{
    caught = signal_number;
}

static void listen_for(int signal_number)
{
    struct sigaction action, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    if (sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_DFL &&
        !(action.sa_flags & SA_SIGINFO))
        sigaction(signal_number, &ours, NULL);
}

static void start(void)
{
    sigset_t all, before;
    pthread_t thread;

    limit = read_limit();
    sigfillset(&all); /* signals are for the program's own threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        end_fatal("cannot start the OS thread that watches the time");
    pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    listen_for(SIGINT);
    listen_for(SIGTERM);
}

void watchdog_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
}
