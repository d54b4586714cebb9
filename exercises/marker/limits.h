/* Runs a command that nobody has looked at, in a session of its own, and ends it with all that it
 * started when it goes beyond what it may use. */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stddef.h>

struct limits {
    double seconds; /* of processor time, of all its processes; of the clock five times as many */
    size_t memory;  /* bytes resident in all its processes together */
    int processes;  /* at one time, itself included */
    size_t output;  /* bytes on standard output and error together */
    size_t file;    /* bytes of any file that it writes */
    size_t files;   /* bytes of all that lies in its folder, a page and more for each file */
};

/* What confine_exec executes. settings: its whole environment, ends with NULL: NAME=VALUE, or NAME
 * for ours, if we have it. */
struct command {
    const char *const *argv;
    const char *folder;
    const char *const *settings;
    const char *const *shown;
    int in, out; /* files that it finds open as 3 and 4; -1: none */
    bool alone;
};

/* How it ended. ENDED_LOST: it could not be run, status is the reason, an errno. */
enum how {
    ENDED_EXIT, /* with that status */
    ENDED_SIGNAL,
    ENDED_TIME,
    ENDED_MEMORY,
    ENDED_PROCESSES,
    ENDED_OUTPUT,
    ENDED_INTERRUPTED, /* we were, by the signal that is status */
    ENDED_LOST
};

/* What it wrote, the first 64 KiB of each, ended by a 0; the caller's to free by limits_free. */
struct ended {
    enum how how;
    int status;     /* exit status, or signal */
    double seconds; /* of the clock */
    char *out, *err;
};

/* Standard input is empty. Returns when nothing that the command started is left. An interrupt of
 * the caller (SIGINT, SIGTERM, SIGHUP) ends the command first. Not for several threads. */
struct ended limits_run(const struct command *command, const struct limits *limits);
/* The signal that has interrupted us, 0: none. */
int limits_interrupted(void);

void limits_free(struct ended *ended);

#endif
