/* Words for a mark. */
#define _GNU_SOURCE
#include "tell.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 78, MOST_LINES = 12 };

/* ---- lines of text ---- */

/* Prints text in lines of at most WIDTH columns, all behind an indent; a line break in it stays
 * one. Bytes that begin no character of UTF-8 take no column. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        size_t length = strcspn(text, " \n");
        int columns = 0;
        for (size_t i = 0; i < length; i++)
            columns += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (column > 0 && indent + column + 1 + columns > WIDTH) {
            printf("\n");
            column = 0;
        }
        if (length > 0) {
            printf("%*s%.*s", column == 0 ? indent : 1, "", (int)length, text);
            column += columns + (column > 0);
        }
        text += length;
        if (*text == '\n') {
            printf("\n");
            column = 0;
        }
        text += *text != '\0';
    }
    printf("\n");
}

/* A line of others' text, cut where the terminal ends, without what would steer it. */
static void print_cut(const char *text, size_t length, int indent)
{
    int column = indent;

    printf("%*s", indent, "");
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\t')
            c = ' ';
        column += (c & 0xc0) != 0x80;
        if (column > WIDTH + 2)
            break;
        putchar(c < 0x20 || c == 0x7f ? '?' : c);
    }
    printf("\n");
}

/* The first lines of what a program wrote. */
static void print_lines(const char *head, const char *text, int most)
{
    int lines = 0;

    if (!text || !text[strspn(text, " \n")])
        return;
    printf("\n  %s\n", head);
    for (; *text && lines < most; lines++) {
        size_t length = strcspn(text, "\n");
        print_cut(text, length, 4);
        text += length + (text[length] == '\n');
    }
    if (*text)
        printf("    …\n");
}

/* ---- a mark ---- */

/* The number in front of a name: 04 of 04-halve-the-barriers. */
static int number_length(const struct told_exercise *e)
{
    return (int)strcspn(e->name, "-");
}

void tell_head(const struct told_exercise *e)
{
    printf("exercise %.*s: %s\n\n", number_length(e), e->name, e->file->title);
    fflush(stdout);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

void tell_mark(const struct told_exercise *e, const struct mark *m)
{
    int met = 0, budgets = e->file->budgets;

    for (int i = 0; i < budgets; i++)
        met += !m->budget[i].measured || m->budget[i].met;
    printf("  %-7s ", m->type);
    if (m->sizes == 0)
        printf("%s\n", m->message);
    else if (m->status == MARK_DONE)
        printf("right at %d size%s, no findings, %d of %d budget%s met\n", m->sizes,
               plural(m->sizes), met, budgets, plural(budgets));
    else
        printf("right at %d of %d size%s%s\n", m->right, m->sizes, plural(m->sizes),
               m->right == m->sizes ? ", but not done" : "");
    fflush(stdout);
}

static void tell_hint(const struct told_exercise *e, const struct mark *m)
{
    const char *when = mark_hints(e->file, m);
    int count = task_file_hints(e->file, when), number = e->hint < count ? e->hint : count;

    if (number == 0)
        return;
    printf("\n  Hint %d of %d:\n", number, count);
    print_wrapped(task_file_hint(e->file, when, number), 4);
    if (number < count)
        printf("  The next: make mark-%.*s HINT=%d\n", number_length(e), e->name, number + 1);
}

static void tell_fault(const struct told_exercise *e, const struct mark *m)
{
    if (m->sizes > 0) {
        printf("\n  %s\n", m->status == MARK_NOT_JUDGED ? "Could not be judged:" : "Not yet:");
        print_wrapped(m->message, 4);
    }
    if (m->line > 0) {
        char place[40];
        snprintf(place, sizeof place, "main.cu:%d:  ", m->line);
        printf("    %s", place);
        print_cut(m->source ? m->source : "", m->source ? strlen(m->source) : 0, 0);
    }
    bool compiled = m->sizes > 0;
    print_lines(compiled ? "What it said:" : "The compiler says:", m->said, MOST_LINES);
    print_lines("What it printed:", m->printed, MOST_LINES);
    tell_hint(e, m);
}

void tell_end(const struct told_exercise *e, const struct mark *m)
{
    if (m->status != MARK_DONE) {
        tell_fault(e, m);
        return;
    }
    print_lines("The compiler says:", m->said, MOST_LINES);
    print_lines("What it printed:", m->printed, MOST_LINES);
    printf("\n  Done. make solution-%.*s shows ours beside yours, make exercise goes on.\n",
           number_length(e), e->name);
}

/* ---- JSON ---- */

/* Numbers that are none do not exist in JSON. */
static void print_number(FILE *f, double value)
{
    if (isfinite(value))
        fprintf(f, "%.10g", value);
    else
        fprintf(f, "null");
}

static void print_member(FILE *f, const char *name, const char *text)
{
    fprintf(f, "  \"%s\": ", name);
    json_print(f, text);
    fprintf(f, ",\n");
}

static void print_sizes(FILE *f, const struct task_file *file, const long *size)
{
    fprintf(f, "{");
    for (int i = 0; i < file->sizes; i++)
        fprintf(f, "%s\"%s\": %ld", i > 0 ? ", " : "", file->size[i].name, size[i]);
    fprintf(f, "}");
}

static void print_budgets(FILE *f, const struct task_file *file, const struct mark *m)
{
    const char *comma = "";

    fprintf(f, "  \"budgets\": [");
    for (int i = 0; i < file->budgets; i++) {
        if (!m->budget[i].measured)
            continue;
        fprintf(f, "%s\n    {\"name\": ", comma);
        json_print(f, file->budget[i].name);
        fprintf(f, ", \"means\": ");
        json_print(f, file->budget[i].means);
        fprintf(f, ",\n     \"value\": ");
        print_number(f, m->budget[i].value);
        fprintf(f, ", \"limit\": ");
        print_number(f, m->budget[i].limit);
        fprintf(f, ", \"met\": %s, \"sizes\": ", m->budget[i].met ? "true" : "false");
        print_sizes(f, file, m->budget[i].size);
        fprintf(f, "}");
        comma = ",";
    }
    fprintf(f, "%s],\n", *comma ? "\n  " : "");
}

static void print_counters(FILE *f, const struct mark *m)
{
    const char *name, *comma = "";
    double value;

    fprintf(f, "  \"counters\": {");
    for (int i = 0; (name = counters_name(i)) != NULL; i++) {
        counters_get(&m->counters, name, strlen(name), 0, &value);
        fprintf(f, "%s\n    \"%s\": ", comma, name);
        print_number(f, value);
        comma = ",";
    }
    fprintf(f, "\n  },\n");
}

static void print_types(FILE *f, const struct mark *marks, int count)
{
    fprintf(f, "  \"types\": [");
    for (int i = 0; i < count; i++)
        fprintf(f, "%s{\"type\": \"%s\", \"reason\": \"%s\", \"runs\": %d, \"right\": %d}",
                i > 0 ? ",\n            " : "", marks[i].type, marks[i].reason, marks[i].sizes,
                marks[i].right);
    fprintf(f, "],\n");
}

static void print_json(FILE *f, const struct told_exercise *e, const struct mark *marks, int count)
{
    const struct mark *m = &marks[count - 1];
    const char *when = mark_hints(e->file, m);
    int hints = m->status == MARK_DONE ? 0 : task_file_hints(e->file, when);
    int score = m->score;

    for (int i = 0; i < count; i++)
        score = marks[i].score < score ? marks[i].score : score;
    fprintf(f, "{\n  \"version\": 1,\n");
    print_member(f, "name", e->name);
    print_member(f, "title", e->file->title);
    fprintf(f, "  \"passed\": %s,\n  \"status\": %d,\n  \"score\": %d,\n",
            m->status == MARK_DONE ? "true" : "false", m->status, score);
    print_member(f, "reason", m->reason);
    print_member(f, "message", m->status == MARK_DONE ? "Done." : m->message);
    print_member(f, "hint",
                 hints ? task_file_hint(e->file, when, e->hint < hints ? e->hint : hints) : NULL);
    fprintf(f, "  \"hints\": %d,\n  \"line\": ", hints);
    if (m->line > 0)
        fprintf(f, "%d,\n", m->line);
    else
        fprintf(f, "null,\n");
    print_member(f, "source", m->source);
    print_member(f, "said", m->said);
    print_member(f, "type", m->type);
    print_types(f, marks, count);
    fprintf(f, "  \"sizes\": ");
    if (m->sizes > 0)
        print_sizes(f, e->file, m->size);
    else
        fprintf(f, "null");
    fprintf(f, ",\n  \"seed\": %llu,\n", e->seed);
    print_budgets(f, e->file, m);
    print_counters(f, m);
    fprintf(f, "  \"findings\": %s\n}\n", m->findings ? m->findings : "[]");
}

bool tell_json(const struct told_exercise *e, const struct mark *marks, int count, const char *path)
{
    char part[4200];
    FILE *file;

    snprintf(part, sizeof part, "%.4100s.part", path);
    if ((file = fopen(part, "we")) == NULL)
        return false;
    print_json(file, e, marks, count);
    if (fclose(file) == 0 && rename(part, path) == 0)
        return true;
    remove(part);
    return false;
}
