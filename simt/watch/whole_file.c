/* Writes files as a whole; see trace.h. */
#include "watch/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens the file under the name that it has first; NULL: it cannot be opened. The caller frees
 * *part, that name. */
static FILE *open_part(const char *file, char **part)
{
    if (asprintf(part, "%s.%d", file, (int)getpid()) < 0)
        *part = NULL;
    return *part ? fopen(*part, "wx") : NULL;
}

const char *whole_file_check(const char *file, char **path)
{
    struct stat info;

    if (!*file)
        return "want the name of a file to write";
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode))
        return "is not a regular file; want the name of a file to write";
    char *real = realpath(file, NULL), *part;
    FILE *tried = open_part(real ? real : file, &part);
    int error = errno;

    if (tried) {
        fclose(tried);
        free(*path);
        *path = realpath(part, NULL); /* absolute: the program may change its folder */
        unlink(part);
        if (*path)
            *strrchr(*path, '.') = '\0';
    }
    free(real);
    free(part);
    if (tried)
        return NULL;
    return error == ENOENT ? "cannot be written: no such folder" : strerror(error);
}

bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file))
{
    char *text = NULL, *part = NULL;
    size_t size = 0;
    FILE *made = open_memstream(&text, &size), *file = NULL;

    if (made)
        print(made);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error like a full disk */
    bool written = made && fclose(made) == 0 && (file = open_part(path, &part)) &&
                   fwrite(text, 1, size, file) == size && fflush(file) == 0 &&
                   rename(part, path) == 0;
    if (!written)
        fprintf(stderr, "simt: %s: %s cannot be written: %s\n", path, what, strerror(errno));
    if (file && !written)
        unlink(part);
    if (file)
        fclose(file);
    free(text);
    free(part);
    return written;
}
