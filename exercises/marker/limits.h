/* Runs a command that nobody has looked at, in a session of its own, and ends it with all that it
 * started when it goes beyond what it may use. */
#ifndef LIMITS_H
#define LIMITS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct limits {
    rlim_t seconds; /* of processor time, of each process; of the clock five times as many */
    size_t memory;  /* bytes resident in all its processes together */
    size_t output;  /* bytes on standard output and error together */
    size_t file;    /* bytes of each file that it writes */
    size_t files;   /* bytes of all files in the present folder, and a page for each */
};

/* Lists end with NULL. Of our environment the command sees where programs and libraries are and, if
 * it is not alone, what a compiler needs. */
struct command {
    const char *const *argv;
    const char *const *settings; /* NAME=VALUE, added to its environment */
    const char *const *shown;    /* files and folders that it may read (confine_exec) */
    int in, out;                 /* files that it finds open as 3 and 4; -1: none */
    bool alone;                  /* may it not start copies of itself? (confine_exec) */
};

enum how {
    ENDED_EXIT, /* with that status; 127: it could not begin */
    ENDED_SIGNAL,
    ENDED_TIME,
    ENDED_MEMORY,
    ENDED_OUTPUT
};

struct ended {
    enum how how;
    int status;      /* exit status, or signal */
    char *out, *err; /* the first 64 KiB of standard output and error, ended by a 0 */
};

/* Standard input is empty. Returns when nothing that the command started is left. An interrupt of
 * the caller (SIGINT, SIGTERM, SIGHUP) ends the command, and then the caller, by exit(); between
 * two commands it waits for the next. Not for several threads. */
struct ended limits_run(const struct command *command, const struct limits *limits);
double limits_now(void);                         /* seconds of a clock that nobody sets */
extern volatile sig_atomic_t limits_interrupted; /* the signal; 0: none */

/* ---- confine.c ---- */

/* Can bubblewrap (bwrap) confine a command here? It must be installed, and may make namespaces. */
bool confine_can(void);

/* Executes a command in place of this process; returns if that fails. Where bubblewrap can confine
 * it, it writes only into the present folder and sees of other files the system's, the compiler's
 * ($CXX), and those shown, by absolute paths; no other processes; no network. `alone`: it starts no
 * copy of itself, but threads, and other programs by posix_spawn. */
void confine_exec(const char *const *argv, const char *const *shown, bool alone);

/* Does a command so confined see this file? Or was it its own, and is gone? */
bool confine_shows(const char *path, const char *const *shown);

#endif
