/* Writes files as a whole; see whole_file.h. */
#define _GNU_SOURCE
#include "watch/whole_file.h"
#include "run/end.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of what is being written. */
static char *unfinished;

/* Signals that would leave it behind wait until it has its place. A file that grows too large is an
 * error, as a full disk is. */
static sigset_t before;
static void (*before_too_large)(int);

static void hold_signals(void)
{
    sigset_t held;

    sigemptyset(&held);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGQUIT);
    sigaddset(&held, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    before_too_large = signal(SIGXFSZ, SIG_IGN);
}

static void release_signals(void)
{
    signal(SIGXFSZ, before_too_large);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

FILE *whole_file_begin(const char *path)
{
    char *name;

    if (asprintf(&name, "%s.XXXXXX", path) < 0)
        end_fatal("no memory to write %s", path);
    unfinished = name;
    hold_signals();
    int fd = mkstemp(name);
    if (fd < 0)
        return NULL;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fdopen(fd, "w");
}

/* The file takes its place, or is removed where it is not to be kept or did not become whole.
 * Returns 0 or an errno, if file is NULL that of whole_file_begin. */
static int end_file(FILE *file, const char *path, bool keep)
{
    char *name = unfinished;
    int error = 0;

    if (!file || fflush(file) != 0 || ferror(file))
        error = errno ? errno : EIO;
    if (file && fclose(file) != 0 && !error)
        error = errno;
    if (keep && !error && rename(name, path) != 0)
        error = errno;
    if (file && (error || !keep))
        unlink(name);
    release_signals();
    unfinished = NULL;
    free(name);
    return error;
}

const char *whole_file_check(const char *file, char **path)
{
    struct stat info;

    if (!*file)
        return "want the name of a file to write";
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode))
        return "is not a regular file; want the name of a file to write";
    free(*path);
    *path = realpath(file, NULL); /* a link stays what it is */
    if (!*path)
        *path = strdup(file);
    int error = end_file(whole_file_begin(*path), *path, false);
    if (error)
        return error == ENOENT ? "cannot be written: no such folder" : strerror(error);
    return NULL;
}

bool whole_file_end(FILE *file, const char *path, const char *what)
{
    int error = end_file(file, path, true);

    if (error)
        fprintf(stderr, "simt: %s: %s cannot be written: %s\n", path, what, strerror(error));
    return error == 0;
}
