/* Reads the report's JSON as simt/judge/report.c writes it. No string in it has a line break
 * or holds a member's name between quotes, so a search for either needs no parser. */
#define _GNU_SOURCE
#include "findings.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of the first member of that name; "": there is none. */
static const char *member(const char *object, const char *name)
{
    const char *key = text_of("\"%s\": ", name), *at = strstr(object, key);

    return at ? at + strlen(key) : "";
}

static int number(const char *object, const char *name)
{
    return atoi(member(object, name));
}

/* A member's text, one line; NULL: it has none. The report escapes (judge/json_string.h) quotes,
 * backslashes, control characters and U+FFFD alone. */
static char *text(const char *object, const char *name)
{
    const char *p = member(object, name);
    char *result = text_of("%s", p), *to = result;
    unsigned code;

    if (*p != '"')
        return NULL;
    for (p++; *p && *p != '"'; p++) {
        if (*p != '\\') {
            *to++ = *p;
        } else if (*++p == 'u' && sscanf(p, "u%4x", &code) == 1 && strnlen(p, 5) == 5) {
            p += 4;
            to = stpcpy(to, code < 0x80 ? (char[]){(char)code, 0} : "\ufffd");
        } else if (*p) {
            *to++ = *p;
        } else {
            break; /* the text is cut off */
        }
    }
    *to = '\0';
    return result;
}

/* The line of main.cu; 0: it is another file's. */
static int line_of(const char *place)
{
    const char *file = text(place, "file");

    return file && strcmp(file, "main.cu") == 0 ? number(place, "line") : 0;
}

/* The number of a thread in its block, or of a block in its grid. */
static unsigned number_in(const char *sizes, const char *place)
{
    unsigned wide = 0, high = 0, x = 0, y = 0, z = 0;

    sscanf(sizes, "[%u, %u", &wide, &high);
    sscanf(place, "[%u, %u, %u", &x, &y, &z);
    return x + wide * (y + high * z);
}

static struct finding read_one(const char *object)
{
    struct finding f = {
        .id = text(object, "id"), .title = text(object, "title"), .text = text(object, "text")};
    const char *launch = member(object, "launch"), *end = object;

    while (f.ends < FINDING_ENDS && (end = strstr(end, "\n        {")) != NULL) {
        unsigned block = number_in(member(launch, "grid"), member(end, "block"));
        unsigned thread = number_in(member(launch, "block"), member(end, "thread"));
        f.end[f.ends++] =
            (struct finding_end){text(end, "operation"), line_of(end), 32 * block + thread / 32};
        end++;
    }
    if (f.ends == 0)
        f.end[f.ends++] = (struct finding_end){.line = line_of(object)};
    return f;
}

bool findings_read(char *report, struct findings *findings)
{
    const char *list = member(report, "findings"), *close = strrchr(list, ']');

    if (number(report, "version") != 1 || !close)
        return false;
    char *why = text(report, "not_judged"), *setting = why ? strstr(why, " (SIMT_") : NULL;
    char *behind = setting ? strchr(setting, ')') : NULL;
    if (behind) /* a student cannot set it */
        memmove(setting, behind + 1, strlen(behind));
    findings->not_judged = why;
    findings->list = text_of("%.*s", (int)(close + 1 - list), list);
    for (char *each = report, *end; !findings->any && (each = strstr(each, "\n    {")) != NULL;
         each = end + 1) {
        if ((end = strstr(each, "\n    }")) == NULL)
            return false;
        *end = '\0';
        findings->any = *member(each, "note") != 't' || strstr(each, "\"id\": \"active-mask\"");
        if (findings->any)
            findings->first = read_one(each);
    }
    return true;
}
