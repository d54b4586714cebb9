/* Runs a child, looks at its process group every few milliseconds, and ends all of it.
 *
 * The child leads a session, with a process group that it cannot leave (confine.c), and orphans
 * become our children. So a signal to the group reaches every process, and all have ended when we
 * have no child left. */
#define _GNU_SOURCE
#include "limits.h"
#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 64 * 1024, LOOK_MS = 20, CLOCK = 5, DESCRIPTORS = 64 };

volatile sig_atomic_t limits_interrupted;

double limits_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- what the group uses ---- */

/* Bytes of memory of a process, if it belongs to the group. */
static size_t memory_of(const char *pid, pid_t group)
{
    FILE *file = getpgid(atoi(pid)) == group ? fopen(text_of("/proc/%s/statm", pid), "re") : NULL;
    size_t pages = 0;

    if (file) {
        (void)(fscanf(file, "%*u %zu", &pages) == 1);
        fclose(file);
    }
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t memory_of_group(pid_t group)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;
    size_t sum = 0;

    while (all && (entry = readdir(all)) != NULL)
        sum += memory_of(entry->d_name, group); /* a name as "self" is 0: our own group */
    if (all)
        closedir(all);
    return sum;
}

static size_t stored, most_stored;

static int add_stored(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)path, (void)kind, (void)at;
    stored += (size_t)info->st_blocks * 512 + 4096;
    return stored > most_stored;
}

static bool stores_more(size_t most)
{
    stored = 0;
    most_stored = most;
    nftw(".", add_stored, 8, FTW_PHYS);
    return stored > most;
}

static size_t written_to(int file)
{
    struct stat info = {0};
    fstat(file, &info);
    return (size_t)info.st_size;
}

/* ---- the child ---- */

/* The part of our environment that a program needs, or the user's compiler, and the command's own
 * settings. */
static void set_environment(const struct command *command)
{
    const char *kept = command->alone ? " PATH LD_LIBRARY_PATH "
                                      : " PATH LD_LIBRARY_PATH CXX HOME LIBRARY_PATH CPATH "
                                        "COMPILER_PATH CPLUS_INCLUDE_PATH GCC_EXEC_PREFIX ";
    char **ours = environ;

    clearenv();
    for (; ours && *ours; ours++)
        if (strstr(kept, text_of(" %.*s ", (int)strcspn(*ours, "="), *ours)))
            putenv(*ours);
    for (const char *const *own = command->settings; *own; own++)
        putenv((char *)*own);
}

/* Becomes the command. */
static _Noreturn void become(const struct command *c, const struct limits *limits, int out, int err)
{
    struct rlimit seconds = {limits->seconds, limits->seconds + 1};
    struct rlimit size = {limits->file, limits->file}, none = {0, 0};
    struct rlimit descriptors = {DESCRIPTORS, DESCRIPTORS}; /* also of files that have no name */
    int own[] = {open("/dev/null", O_RDONLY), out, err, c->in, c->out};

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_FSIZE, &size);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_NOFILE, &descriptors);
    /* all others are closed by exec; none is overwritten before it is moved */
    for (int i = 0; i < 5; i++)
        own[i] = fcntl(own[i], F_DUPFD_CLOEXEC, 10);
    for (int i = 0; i < 5; i++)
        dup2(own[i], i);
    set_environment(c);
    confine_exec(c->argv, c->shown, c->alone);
    dprintf(STDERR_FILENO, "%s cannot be started: %s\n", c->argv[0], strerror(errno));
    _exit(127);
}

/* ---- while it runs ---- */

/* Signals only end the present sleep: a child has ended, or somebody interrupts us. */
static void wake(int signal)
{
    if (signal != SIGCHLD)
        limits_interrupted = signal;
}

static void await_signals(void)
{
    static const int awaited[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = wake};

    for (int i = 0; i < 4; i++)
        sigaction(awaited[i], &action, NULL);
}

/* Ends every process of the group. The signal also reaches a process that is about to fork: the
 * kernel does not fork while a signal is pending. */
static void end_all(pid_t group)
{
    kill(-group, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}

/* Waits until the child has ended, or must be ended. */
static enum how watch(pid_t child, const struct limits *limits, int out, int err, int *status)
{
    const struct timespec moment = {0, LOOK_MS * 1000000};
    const double start = limits_now();
    int looks = 0; /* with too much memory: a child that begins has its parent's, too */

    for (;;) {
        nanosleep(&moment, NULL);
        bool done = waitpid(child, status, WNOHANG) == child;
        if (limits_interrupted) {
            end_all(child);
            exit(1);
        }
        if (written_to(out) + written_to(err) > limits->output || stores_more(limits->files))
            return ENDED_OUTPUT;
        if (done)
            return ENDED_EXIT;
        looks = memory_of_group(child) > limits->memory ? looks + 1 : 0;
        if (looks > 1)
            return ENDED_MEMORY;
        if (limits_now() - start > CLOCK * limits->seconds)
            return ENDED_TIME;
    }
}

static char *begin_of(int file)
{
    char *text = calloc(1, KEPT + 1);

    if (!text || pread(file, text, KEPT, 0) < 0)
        abort();
    close(file);
    return text;
}

struct ended limits_run(const struct command *command, const struct limits *limits)
{
    confine_can(); /* the child then knows */
    int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC), status = 0;
    struct ended ended;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    await_signals();
    fflush(NULL);
    pid_t child = fork();
    if (child < 0 || out < 0 || err < 0)
        text_fail("a program cannot be started", strerror(errno));
    if (child == 0)
        become(command, limits, out, err);
    ended.how = watch(child, limits, out, err, &status);
    end_all(child);
    ended.out = begin_of(out);
    ended.err = begin_of(err);
    ended.status = WEXITSTATUS(status);
    if (ended.how == ENDED_EXIT && WIFSIGNALED(status)) {
        ended.how = ENDED_SIGNAL;
        ended.status = WTERMSIG(status);
    } else if (ended.how == ENDED_EXIT && ended.status > 128) {
        ended.how = ENDED_SIGNAL; /* as bwrap and shells tell it */
        ended.status -= 128;
    }
    if (ended.how == ENDED_SIGNAL && ended.status == SIGXCPU)
        ended.how = ENDED_TIME;
    return ended;
}
