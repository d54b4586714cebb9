/* Writes files as a whole; see whole_file.h. */
#define _GNU_SOURCE
#include "watch/whole_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *whole_file_check(const char *file, char **path)
{
    struct stat info;
    bool exists = stat(file, &info) == 0;

    if (!*file)
        return "want the name of a file to write";
    if (exists && !S_ISREG(info.st_mode))
        return "is not a regular file; want the name of a file to write";
    FILE *tried = fopen(file, "a");
    if (!tried)
        return errno == ENOENT ? "cannot be written: no such folder" : strerror(errno);
    fclose(tried);
    free(*path);
    *path = realpath(file, NULL); /* the program may go to another folder */
    if (!exists)
        unlink(file);
    return NULL;
}

bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *made = open_memstream(&text, &size), *file = NULL;

    if (made)
        print(made);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error, as a full disk is */
    bool written = made && fclose(made) == 0 && (file = fopen(path, "w")) &&
                   fwrite(text, 1, size, file) == size && fflush(file) == 0;
    if (!written)
        fprintf(stderr, "simt: %s: %s cannot be written: %s\n", path, what, strerror(errno));
    if (file && !written)
        unlink(path);
    if (file)
        fclose(file);
    free(text);
    return written;
}
