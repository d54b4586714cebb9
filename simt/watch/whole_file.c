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

/* Writes the file and puts it in its place; if print is NULL, only tries to. Returns 0 or an errno.
 * Signals that would leave it behind wait. A file that grows too large is an error, as a full disk
 * is. */
static int write_file(const char *path, void (*print)(FILE *file))
{
    sigset_t all, before;
    char *name;

    if (asprintf(&name, "%s.%d", path, (int)getpid()) < 0)
        end_fatal("no memory to write %s", path);
    sigfillset(&all);
    sigdelset(&all, SIGXFSZ); /* what is blocked is not ignored */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    void (*too_large)(int) = signal(SIGXFSZ, SIG_IGN);

    FILE *file = fopen(name, "wx");
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
