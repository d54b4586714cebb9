/* Ends programs, with one line that says why; and tells the observer why a kernel cannot go on. */
#define _GNU_SOURCE
#include "run/end.h"
#include "run/observer.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The thread that says why the program ends holds it for good, so that other threads say nothing.
 * Recursive, since memory may run out meanwhile. */
static pthread_mutex_t only_one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void end_begin(void)
{
    pthread_mutex_lock(&only_one);
    fflush(stdout);
}

static int (*last_word)(int status);

void end_set_last(int (*last)(int status))
{
    last_word = last;
}

void end_now(int status)
{
    int (*last)(int) = last_word;

    last_word = NULL; /* it may come here itself */
    if (last)
        status = last(status);
    fflush(NULL);
    _Exit(status);
}

/* Control characters, which the environment may contain, become ?, so that it is one line. */
void end_with(int status, const char *format, ...)
{
    static char text[8192]; /* there may be no memory left */
    va_list args;

    va_start(args, format);
    end_begin();
    vsnprintf(text, sizeof text, format, args);
    for (char *c = text; *c; c++)
        *c = iscntrl((unsigned char)*c) ? '?' : *c;
    fprintf(stderr, "simt: %s\n", text);
    end_now(status);
}

long end_setting(const char *variable, long otherwise, long most, const char *want)
{
    const char *text = getenv(variable);
    char *end;

    if (!text || !*text)
        return otherwise;
    long number = strtol(text, &end, 10);
    if (*end || number < 0 || number > most)
        end_usage("%s=%s: want %s", variable, text, want);
    return number;
}

/* Dies of the signal, as if there were no handler. */
static void die(int signal_number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal_number);
    signal(signal_number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signal_number);
}

void end_by_signal(int signal_number)
{
    signal(signal_number, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    alarm(END_SECONDS_TO_TELL);
    OBSERVE(host_dies, signal_number);
    die(signal_number);
}

static char reason[640];

void end_not_judged(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (!reason[0])
        vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
}

const char *end_why_not_judged(void)
{
    return reason[0] ? reason : NULL;
}

/* ---- the observer ---- */

struct observer simt_observer;
bool observer_sees;

void observer_complain(struct complaint complaint, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(complaint.text, sizeof complaint.text, format, args);
    va_end(args);
    OBSERVE(complaint, &complaint);
}

void observer_fatal(const struct fatal *fatal)
{
    const struct simt_site *site = &fatal->block->launch->site;

    OBSERVE(fatal, fatal);
    end_with(EXIT_BUG, "kernel %s, launched at %s:%d, cannot go on", site->kernel, site->file,
             site->line);
}
