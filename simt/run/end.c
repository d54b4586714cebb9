/* Ends programs, with one line that says why. */
#define _GNU_SOURCE
#include "run/end.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Whoever has something to say before the program ends. It is kept for good, so that others that
 * come to the same end say nothing; recursive, since while it speaks memory may run out. */
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

    last_word = NULL; /* it may come to an end itself */
    if (last)
        status = last(status);
    fflush(NULL);
    _Exit(status);
}

/* In one line, whatever the environment holds: a control character is shown as ?. */
void end_with(int status, const char *format, ...)
{
    static char text[8192]; /* no memory is asked for here */
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

void end_die(int signal_number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signal_number);
    signal(signal_number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signal_number);
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
