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

/* The name of what is being written, for a signal to remove; NULL: nothing is. */
static char *volatile unfinished;
enum { SIGNALS = 5 };
static const int signals[SIGNALS] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
static struct sigaction before[SIGNALS]; /* what the program does with them */

static void clean_up(int number)
{
    if (unfinished)
        unlink(unfinished);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            sigaction(number, &before[i], NULL);
    raise(number); /* again, now as ever */
}

/* A file that grows too large is an error, as a full disk is. */
static void guard_against_signals(void)
{
    struct sigaction clean = {.sa_handler = clean_up}, ignore = {.sa_handler = SIG_IGN};

    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], signals[i] == SIGXFSZ ? &ignore : &clean, &before[i]);
        if (before[i].sa_handler == SIG_IGN)
            sigaction(signals[i], &ignore, NULL);
    }
}

static void stop_guarding(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

FILE *whole_file_begin(const char *path)
{
    char *name;

    if (asprintf(&name, "%s.XXXXXX", path) < 0)
        end_fatal("no memory to write %s", path);
    unfinished = name;
    guard_against_signals();
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
    stop_guarding();
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
