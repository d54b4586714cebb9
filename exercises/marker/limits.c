/* Runs a child, looks at its process group every few milliseconds, and ends all of it.
 *
 * The child leads a session, with a process group that it cannot leave (confine.h), and what loses
 * its parent becomes ours: so a signal to the group reaches everything, and waiting until we have
 * no child left finds its end. */
#define _GNU_SOURCE
#include "limits.h"
#include "confine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 64 * 1024, LOOK_MS = 20, CLOCK = 5, DESCRIPTORS = 64 };

/* What the child writes: the pipe's end, -1 when it is closed, and what is kept of it. */
struct stream {
    int fd;
    char *text; /* room for KEPT and a 0 */
    size_t kept;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static volatile sig_atomic_t interrupt;

static void take_interrupt(int signal)
{
    interrupt = signal;
}

int limits_interrupted(void)
{
    return interrupt;
}

/* ---- what the group uses ---- */

struct usage {
    int processes;
    size_t memory;
    double seconds; /* of processor time */
};

/* Adds what process pid uses, if it belongs to the group. */
static void add_process(const char *pid, pid_t of, struct usage *usage)
{
    char path[300], text[1024], state;
    unsigned long ticks[4];
    int its_group = 0;
    long pages = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    if ((file = fopen(path, "re")) == NULL)
        return;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    /* the name, in brackets, may hold anything; its time and its children's are fields 14 to 17,
     * the pages field 24 */
    char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest + 1,
               " %c %*d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu %*d %*d %*d "
               "%*d %*u %*u %ld",
               &state, &its_group, &ticks[0], &ticks[1], &ticks[2], &ticks[3], &pages) != 7)
        return;
    if (its_group != of)
        return;
    usage->processes++; /* who has ended takes a number until somebody asks how: there are few */
    if (state == 'Z')
        return;
    usage->memory += (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < 4; i++)
        usage->seconds += (double)ticks[i] / (double)sysconf(_SC_CLK_TCK);
}

/* Stops counting at more than `most` processes. */
static struct usage look_at_group(pid_t of, int most)
{
    DIR *all = opendir("/proc");
    struct usage usage = {0};
    struct dirent *entry;

    while (all && usage.processes <= most && (entry = readdir(all)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]))
            add_process(entry->d_name, of, &usage);
    if (all)
        closedir(all);
    return usage;
}

static size_t stored, most_stored;

static int add_stored(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)path, (void)kind, (void)at;
    stored += (size_t)info->st_blocks * 512 + 4096;
    return stored > most_stored;
}

/* Bytes of what lies in a folder, and a page for each file; stops counting at more than `most`. */
static size_t look_at_folder(const char *folder, size_t most)
{
    stored = 0;
    most_stored = most;
    nftw(folder, add_stored, 8, FTW_PHYS);
    return stored;
}

/* ---- the child ---- */

/* The command's environment, of NAME=VALUE and of names of which we have the values. */
static void set_environment(const char *const *settings)
{
    static char *kept[32];
    char **to = kept;

    for (; *settings && to < kept + 31; settings++) {
        char *value = strchr(*settings, '=') ? NULL : getenv(*settings);
        if (strchr(*settings, '='))
            *to++ = (char *)*settings;
        else if (value)
            *to++ = value - strlen(*settings) - 1;
    }
    environ = kept;
}

/* Becomes the command; on an error its number goes into the pipe `why`. */
static _Noreturn void become(const struct command *c, const struct limits *limits, int out, int err,
                             int why)
{
    struct rlimit size = {limits->file, limits->file}, none = {0, 0};
    struct rlimit descriptors = {DESCRIPTORS, DESCRIPTORS}; /* also of files that have no name */
    int own[] = {open("/dev/null", O_RDONLY), out, err, c->in, c->out, why};

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_FSIZE, &size);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_NOFILE, &descriptors);
    /* all others are closed by exec; none is overwritten before it is moved */
    for (int i = 0; i < 6; i++)
        own[i] = fcntl(own[i], F_DUPFD_CLOEXEC, 10);
    for (int i = 0; i < 5; i++)
        dup2(own[i], i);
    set_environment(c->settings);
    confine_exec(c->argv, c->folder, c->shown, c->alone);
    int failed = errno;
    _exit(write(own[5], &failed, sizeof failed) < 0 ? 126 : 127);
}

/* ---- while it runs ---- */

/* Takes what is there; returns how much it was. Closes a pipe that nobody writes into any more. */
static size_t drain(struct stream *stream)
{
    char piece[16 * 1024];
    size_t all = 0;
    ssize_t got = -1;

    while (stream->fd >= 0 && all <= 4 * KEPT &&
           (got = read(stream->fd, piece, sizeof piece)) > 0) {
        size_t room = KEPT - stream->kept, take = (size_t)got < room ? (size_t)got : room;
        memcpy(stream->text + stream->kept, piece, take);
        stream->kept += take;
        all += (size_t)got;
    }
    if (got == 0) {
        close(stream->fd);
        stream->fd = -1;
    }
    return all;
}

/* What is too much, ENDED_EXIT: nothing. seconds: of the clock. */
static enum how beyond(pid_t group, const char *folder, const struct limits *limits, double seconds,
                       size_t output, bool look)
{
    struct usage usage = {0};

    if (interrupt)
        return ENDED_INTERRUPTED;
    if (output > limits->output || (look && look_at_folder(folder, limits->files) > limits->files))
        return ENDED_OUTPUT;
    if (look)
        usage = look_at_group(group, limits->processes);
    if (usage.processes > limits->processes)
        return ENDED_PROCESSES;
    if (usage.memory > limits->memory)
        return ENDED_MEMORY;
    if (usage.seconds > limits->seconds || seconds > CLOCK * limits->seconds)
        return ENDED_TIME;
    return ENDED_EXIT;
}

/* Until the child has ended, or must. */
static enum how watch(pid_t child, const char *folder, const struct limits *limits,
                      struct stream streams[2], int *status)
{
    double start = now(), looked = start;
    size_t output = 0;
    enum how how = ENDED_EXIT;

    while (how == ENDED_EXIT && waitpid(child, status, WNOHANG) == 0) {
        struct pollfd fds[2] = {{streams[0].fd, POLLIN, 0}, {streams[1].fd, POLLIN, 0}};
        /* both are closed as it ends: then that is a matter of a moment */
        poll(fds, 2, fds[0].fd >= 0 || fds[1].fd >= 0 ? LOOK_MS : 1);
        output += drain(&streams[0]) + drain(&streams[1]);
        bool look = now() - looked > LOOK_MS / 1000.0;
        how = beyond(child, folder, limits, now() - start, output, look);
        if (look)
            looked = now();
    }
    return how;
}

/* Nothing of it may be left. A signal to the group reaches also who is just about to fork: the
 * kernel does not fork while a signal waits. */
static void end_all(pid_t group)
{
    kill(-group, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        continue;
}

/* We do not wait for what is not there yet; who writes waits until there is room. */
static bool make_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

struct ended limits_run(const struct command *command, const struct limits *limits)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = take_interrupt};
    struct ended ended = {ENDED_LOST, 0, 0, calloc(1, KEPT + 1), calloc(1, KEPT + 1)};
    int out[2], err[2], why[2], status = 0;
    bool confined = confine_can();

    if (!ended.out || !ended.err)
        abort();
    if (!make_pipe(out) || !make_pipe(err) || !make_pipe(why)) {
        ended.status = errno;
        return ended;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &action, NULL);
    fflush(NULL);
    double start = now();
    pid_t child = fork();
    if (child == 0)
        become(command, limits, out[1], err[1], why[1]);
    int reason = errno;
    close(out[1]), close(err[1]), close(why[1]);

    struct stream streams[2] = {{out[0], ended.out, 0}, {err[0], ended.err, 0}};
    if (child > 0) {
        ended.how = watch(child, command->folder, limits, streams, &status);
        end_all(child);
        reason = interrupt;
    }
    for (int i = 0; i < 2; i++) {
        drain(&streams[i]);
        if (streams[i].fd >= 0)
            close(streams[i].fd);
    }
    ended.seconds = now() - start;
    if (read(why[0], &reason, sizeof reason) == sizeof reason)
        ended.how = ENDED_LOST;
    close(why[0]);
    ended.status = reason;
    if (ended.how != ENDED_EXIT)
        return ended;
    /* bwrap tells a signal as an exit status */
    bool told = confined && WIFEXITED(status) && WEXITSTATUS(status) > 128;
    ended.how = told || WIFSIGNALED(status) ? ENDED_SIGNAL : ENDED_EXIT;
    ended.status = told                  ? WEXITSTATUS(status) - 128
                   : WIFSIGNALED(status) ? WTERMSIG(status)
                                         : WEXITSTATUS(status);
    return ended;
}

void limits_free(struct ended *ended)
{
    free(ended->out);
    free(ended->err);
}
