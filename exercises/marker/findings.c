/* From the report's JSON. A value is found in the text by skipping those before it. */
#define _GNU_SOURCE
#include "findings.h"

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

/* A member's text, which is put at *to, and moves that on; NULL: it has none. It is never longer
 * than in the report, which escapes (judge/json_string.h) quotes, backslashes, control characters
 * and U+FFFD alone. */
static const char *text(const char *object, const char *name, char **to)
{
    const char *value = member(object, name), *begin = *to;
    const char *end = value && *value == '"' ? end_of_string(value) : NULL;
    unsigned code;

    if (!end)
        return NULL;
    for (const char *p = value + 1; p < end - 1; p++) {
        if (*p == '\\' && sscanf(p, "\\u%4x", &code) == 1 && end - p > 6) {
            if (code < 0x80)
                *(*to)++ = (char)code;
            else
                *to = stpcpy(*to, "\ufffd");
            p += 5;
        } else {
            p += *p == '\\';
            *(*to)++ = *p;
        }
    }
    *(*to)++ = '\0';
    return begin;
}

/* ---- the report ---- */

static struct finding_place read_place(const char *object, char **to)
{
    return (struct finding_place){.file = text(object, "file", to),
                                  .source = text(object, "source", to),
                                  .operation = text(object, "operation", to),
                                  .line = number(object, "line")};
}

static struct finding read_one(const char *object, char **to)
{
    const char *note = member(object, "note");
    struct finding f = {.id = text(object, "id", to),
                        .title = text(object, "title", to),
                        .text = text(object, "text", to),
                        .place = read_place(object, to),
                        .launch = number(member(object, "launch"), "number"),
                        .note = note && *note == 't'};

    for (const char *end = first(member(object, "ends")); end && f.ends < FINDING_ENDS;
         end = next(end))
        f.end[f.ends++] = read_place(end, to);
    return f;
}

bool findings_read(const char *report, struct findings *findings)
{
    report = blanks(report);
    const char *list = member(report, "findings"), *end;

    *findings = (struct findings){0};
    if (!list || *list != '[' || (end = end_of(list)) == NULL || !end_of(report) ||
        number(report, "version") != 1)
        return false;
    char *to = findings->texts = malloc(strlen(report) + 1);
    findings->json = strndup(list, (size_t)(end - list));
    if (!findings->texts || !findings->json)
        abort();
    findings->status = number(report, "status");
    findings->not_judged = text(report, "not_judged", &to);
    for (const char *each = first(list); each; each = next(each)) {
        size_t bytes = (findings->count + 1) * sizeof *findings->finding;
        if ((findings->finding = realloc(findings->finding, bytes)) == NULL)
            abort();
        findings->finding[findings->count++] = read_one(each, &to);
    }
    return true;
}

void findings_free(struct findings *findings)
{
    free(findings->finding);
    free(findings->texts);
    free(findings->json);
}

static bool has_hint(const struct task_file *task, const char *id)
{
    for (int i = 0; i < task->hints; i++)
        if (task_hint_is_for(&task->hint[i], id))
            return true;
    return false;
}

const struct finding *findings_first(const struct findings *findings, const struct task_file *task)
{
    const struct finding *told = NULL;
    bool found = false; /* a divergent barrier, in that launch */

    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *f = &findings->finding[i];
        if (!f->id || (f->note && !has_hint(task, f->id)))
            continue;
        bool barrier = strcmp(f->id, "divergent-barrier") == 0;
        if (!told || f->launch < told->launch || (f->launch == told->launch && barrier && !found))
            told = f, found = barrier;
    }
    return told;
}
