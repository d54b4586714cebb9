/* Runs a command that nobody has looked at, in a session of its own, and ends it with all that it
 * started when it goes beyond what it may use. */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct limits {
    rlim_t seconds; /* of processor time, of each process; of the clock five times as many */
    size_t memory;  /* bytes resident in all its processes together */
    size_t output;  /* bytes on standard output and error together */
    size_t file;    /* bytes of any file that it writes */
    size_t files;   /* bytes of all that lies in its folder, a page and more for each file */
};

/* What confine_exec executes. settings: NAME=VALUE, ends with NULL; of our environment it sees
 * beside them what a compiler needs. */
struct command {
    const char *const *argv;
    const char *folder;
    const char *const *settings;
    const char *const *shown;
    int in, out; /* files that it finds open as 3 and 4; -1: none */
    bool alone;
};

enum how {
    ENDED_EXIT, /* with that status; 127: it could not begin */
    ENDED_SIGNAL,
    ENDED_TIME,
    ENDED_MEMORY,
    ENDED_OUTPUT
};

/* How it ended, and what it wrote, the first 64 KiB of each, ended by a 0. */
struct ended {
    enum how how;
    int status;     /* exit status, or signal */
    double seconds; /* of the clock */
    char *out, *err;
};

/* Standard input is empty. Returns when nothing that the command started is left. An interrupt of
 * the caller (SIGINT, SIGTERM, SIGHUP) ends the command, calls limits_at_interrupt, and then ends
 * the caller; between two commands it waits for the next. Not for several threads. */
struct ended limits_run(const struct command *command, const struct limits *limits);
extern void (*limits_at_interrupt)(void);

#endif
