/* Writes files as a whole; see whole_file.h. */
#define _GNU_SOURCE
#include "watch/whole_file.h"
#include "run/end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *whole_file_begin(const char *path, char **name)
{
    if (asprintf(name, "%s.XXXXXX", path) < 0)
        end_fatal("no memory to write %s", path);
    int fd = mkstemp(*name);
    if (fd < 0)
        return NULL;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fdopen(fd, "w");
}

const char *whole_file_check(const char *file, char **path)
{
    struct stat info;
    char *name;

    if (!*file)
        return "want the name of a file to write";
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode))
        return "is there and not a regular file; want the name of a file to write";
    free(*path);
    *path = realpath(file, NULL);
    if (!*path)
        *path = strdup(file);
    FILE *probe = whole_file_begin(*path, &name);
    if (!probe) {
        const char *why = errno == ENOENT ? "cannot be written: no such folder" : strerror(errno);
        free(name);
        return why;
    }
    fclose(probe);
    unlink(name);
    free(name);
    return NULL;
}

int whole_file_end(FILE *file, char *name, const char *path, const char *what)
{
    int written = file && !ferror(file);

    if (file && fclose(file) != 0)
        written = 0;
    if (!written || rename(name, path) != 0) {
        fprintf(stderr, "simt: %s: %s cannot be written: %s\n", path, what, strerror(errno));
        unlink(name);
        written = 0;
    }
    free(name);
    return written;
}
