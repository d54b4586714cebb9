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

/* A new file of this name, which ends in XXXXXX; NULL and errno if there can be none. */
static FILE *create(char *name)
{
    int fd = mkstemp(name);
    mode_t mask = umask(0);

    umask(mask);
    if (fd < 0)
        return NULL;
    fchmod(fd, 0666 & ~mask);
    return fdopen(fd, "w");
}

/* Writes the file and puts it in its place; if print is NULL, only tries to. Returns 0 or an errno.
 * Signals that would leave it behind wait. A file that grows too large is an error, as a full disk
 * is. */
static int write_file(const char *path, void (*print)(FILE *file))
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    sigset_t held, before;
    char *name;

    if (asprintf(&name, "%s.XXXXXX", path) < 0)
        end_fatal("no memory to write %s", path);
    sigemptyset(&held);
    for (int i = 0; i < 4; i++)
        sigaddset(&held, ends[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before);
    void (*too_large)(int) = signal(SIGXFSZ, SIG_IGN);

    FILE *file = create(name);
    int error = file ? 0 : errno;
    if (file && print)
        print(file);
    if (file && (fflush(file) != 0 || ferror(file)))
        error = errno ? errno : EIO;
    if (file && fclose(file) != 0 && !error)
        error = errno;
    if (print && !error && rename(name, path) != 0)
        error = errno;
    if (file && (error || !print))
        unlink(name);
    signal(SIGXFSZ, too_large);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    int error = write_file(*path, NULL);
    if (error)
        return error == ENOENT ? "cannot be written: no such folder" : strerror(error);
    return NULL;
}

bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file))
{
    int error = write_file(path, print);

    if (error)
        fprintf(stderr, "simt: %s: %s cannot be written: %s\n", path, what, strerror(error));
    return error == 0;
}
