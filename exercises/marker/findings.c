/* From the report's JSON. A value is found in the text by skipping those before it. */
#define _GNU_SOURCE
#include "findings.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

static const char *blanks(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *end_of_string(const char *p)
{
    for (p++; *p != '"'; p++) {
        if (*p == '\\')
            p++;
        if (!*p)
            return NULL;
    }
    return p + 1;
}

/* Behind the end of the value that begins there; NULL: it has none. */
static const char *end_of(const char *p)
{
    int depth = 0;

    do {
        if (!*p || strchr(",:]} \t\r\n", *p) != NULL) {
            if (!*p || depth == 0)
                return NULL;
            depth -= *p == ']' || *p == '}';
            p++;
        } else if (*p == '"') {
            if ((p = end_of_string(p)) == NULL)
                return NULL;
        } else if (*p == '{' || *p == '[') {
            depth++;
            p++;
        } else { /* a number, true, false, null */
            p += strcspn(p, "\"{[,:]} \t\r\n");
        }
    } while (depth > 0);
    return p;
}

/* The first value in a list or an object, and the one behind a value; NULL: there is none. */
static const char *first(const char *list)
{
    if (!list || (*list != '[' && *list != '{'))
        return NULL;
    list = blanks(list + 1);
    return *list == ']' || *list == '}' ? NULL : list;
}

static const char *next(const char *value)
{
    const char *end = end_of(value);

    return end && *(end = blanks(end)) == ',' ? blanks(end + 1) : NULL;
}

static const char *member(const char *object, const char *name)
{
    size_t length = strlen(name);
    const char *value, *end;

    for (const char *key = first(object); key; key = next(value)) {
        if (*key != '"' || (end = end_of_string(key)) == NULL || *(end = blanks(end)) != ':')
            return NULL;
        value = blanks(end + 1);
        if (strncmp(key + 1, name, length) == 0 && key[length + 1] == '"')
            return value;
    }
    return NULL;
}

static int number(const char *object, const char *name)
{
    const char *value = member(object, name);

    return value ? atoi(value) : 0;
}

static bool is(const char *text, const char *other)
{
    return text && other && strcmp(text, other) == 0;
}

/* A member's text, whose line breaks, with the blanks behind, become blanks; NULL: it has none. The
 * report escapes (judge/json_string.h) quotes, backslashes, control characters and U+FFFD alone. */
static char *text(const char *object, const char *name)
{
    const char *value = member(object, name);
    const char *end = value && *value == '"' ? end_of_string(value) : NULL;
    unsigned code;

    if (!end)
        return NULL;
    char *result = text_of("%.*s", (int)(end - value) - 2, value + 1), *to = result;
    for (const char *p = result; *p; p++) {
        if (*p == '\\' && sscanf(p, "\\u%4x", &code) == 1 && strnlen(p, 6) == 6) {
            to = code < 0x80 ? (*to = code == '\n' ? ' ' : (char)code, to + 1)
                             : stpcpy(to, "\ufffd");
            p += code == '\n' ? 5 + strspn(p + 6, " ") : 5;
        } else {
            p += *p == '\\';
            *to++ = *p;
        }
    }
    *to = '\0';
    return result;
}

/* ---- the report ---- */

/* Of main.cu, 0: of another file. */
static int line_of(const char *place)
{
    return is(text(place, "file"), "main.cu") ? number(place, "line") : 0;
}

static struct finding read_one(const char *object)
{
    struct finding f = {.id = text(object, "id"),
                        .title = text(object, "title"),
                        .text = text(object, "text"),
                        .line = line_of(object)};

    for (const char *end = first(member(object, "ends")); end && f.ends < FINDING_ENDS;
         end = next(end))
        f.end[f.ends++] = (struct finding_end){text(end, "operation"), line_of(end)};
    return f;
}

static void find_first(const char *list, const char *note, struct findings *findings)
{
    int launch_of_first = 0;

    for (const char *each = first(list); each; each = next(each)) {
        const char *id = text(each, "id"), *is_note = member(each, "note");
        int launch = number(member(each, "launch"), "number");
        bool barrier = is(id, "divergent-barrier") && !is(findings->first.id, id);
        if (!id || (is_note && *is_note == 't' && !is(id, note)))
            continue;
        if (!findings->any || launch < launch_of_first || (launch == launch_of_first && barrier)) {
            findings->any = true;
            findings->first = read_one(each);
            launch_of_first = launch;
        }
    }
}

bool findings_read(const char *report, const char *note, struct findings *findings)
{
    report = blanks(report);
    const char *list = member(report, "findings"), *end;

    *findings = (struct findings){.status = number(report, "status")};
    if (!list || *list != '[' || (end = end_of(list)) == NULL || !end_of(report) ||
        number(report, "version") != 1)
        return false;
    findings->not_judged = text(report, "not_judged");
    findings->list = text_of("%.*s", (int)(end - list), list);
    find_first(list, note, findings);
    return true;
}
