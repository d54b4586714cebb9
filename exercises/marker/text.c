/* Makes texts. */
#define _GNU_SOURCE
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *text_copy(const char *text)
{
    return text ? text_of("%s", text) : NULL;
}

_Noreturn void text_fail(const char *what, const char *why)
{
    fprintf(stderr, "mark: %s: %s\n", what, why);
    exit(2);
}

char *text_before(const char *text, const char *end)
{
    char begin[11] = "";

    text += strspn(text, "\n");
    snprintf(begin, sizeof begin, "%s", end ? end : "");
    const char *stop = *begin ? strstr(text, begin) : NULL;
    while (stop && stop > text && stop[-1] != '\n')
        stop--;
    return stop ? text_of("%.*s", (int)(stop - text), text) : text_copy(text);
}

char *text_number(double value)
{
    if (value != floor(value) || fabs(value) >= 1e9)
        return text_of("%.4g", value);
    if (fabs(value) < 10000)
        return text_of("%.0f", value);
    if (fabs(value) < 1e6)
        return text_of("%.0f,%03.0f", floor(value / 1e3), fmod(value, 1e3));
    return text_of("%.0f,%03.0f,%03.0f", floor(value / 1e6), floor(fmod(value, 1e6) / 1e3),
                   fmod(value, 1e3));
}

void text_unfold(char *text)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from != '\n') {
            *to++ = *from;
            continue;
        }
        *to++ = ' ';
        while (from[1] == ' ')
            from++;
    }
    *to = '\0';
}

char *text_line(const char *path, int line)
{
    char *whole = NULL, *result = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "re");
    int i = 0;

    while (file && i < line && getline(&whole, &room, file) >= 0)
        i++;
    if (line > 0 && i == line) {
        const char *begin = whole + strspn(whole, " \t");
        result = text_of("%.*s", (int)strcspn(begin, "\r\n"), begin);
    }
    free(whole);
    if (file)
        fclose(file);
    return result;
}

bool text_is(const char *path)
{
    FILE *file = fopen(path, "re");
    int c = EOF;

    while (file && (c = getc(file)) != EOF && c != '\0')
        continue;
    if (file)
        fclose(file);
    return c == EOF;
}
