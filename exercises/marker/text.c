/* Makes texts. */
#define _GNU_SOURCE
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 512 << 20 };

char *text_of(const char *format, ...)
{
    char *result;
    va_list args;

    va_start(args, format);
    if (vasprintf(&result, format, args) < 0)
        abort();
    va_end(args);
    return result;
}

_Noreturn void text_fail(const char *what, const char *why)
{
    fprintf(stderr, "mark: %s: %s\n", what, why);
    exit(2);
}

char *text_number(double value)
{
    return text_of(value == floor(value) && fabs(value) < 1e9 ? "%.0f" : "%.4g", value);
}

char *text_file(const char *path, size_t *length)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    ssize_t got = -1;
    char *text = NULL;

    if (file < 0)
        return NULL;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : S_ISREG(info.st_mode) ? EFBIG : EINVAL;
    } else if ((text = calloc(1, (size_t)info.st_size + 1)) != NULL) {
        got = read(file, text, (size_t)info.st_size);
    }
    close(file);
    if (length)
        *length = got > 0 ? (size_t)got : 0;
    return got < 0 ? NULL : text;
}

char *text_line(const char *path, int line)
{
    const char *at = text_file(path, NULL);

    while (at && --line > 0 && (at = strchr(at, '\n')) != NULL)
        at++;
    if (!at || !*at || line < 0)
        return NULL;
    at += strspn(at, " \t");
    return text_of("%.*s", (int)strcspn(at, "\r\n"), at);
}
