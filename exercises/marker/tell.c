/* Words for a mark. */
#define _GNU_SOURCE
#include "tell.h"
#include "judge/json_string.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 78, MOST_LINES = 12, MOST_COLUMNS = 500 };

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

/* How many bytes of a text fit into so many columns; up to a blank, if their last third has one. */
static size_t fitting(const char *text, size_t length, int columns)
{
    size_t bytes = 0, blank = 0;

    for (int column = 0; bytes < length; bytes++) {
        column += ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (column > columns)
            return blank > 0 ? blank : bytes;
        if (text[bytes] == ' ' && column > 2 * columns / 3)
            blank = bytes + 1;
    }
    return bytes;
}

/* A line of others' text, without what would steer the terminal. Where it is too long it goes on in
 * the next, `further` columns in. */
static void print_line(const char *text, size_t length, int indent, int further)
{
    do {
        size_t bytes = fitting(text, length, WIDTH - indent);
        printf("%*s", indent, "");
        for (size_t i = 0; i < bytes; i++) {
            unsigned char c = (unsigned char)text[i];
            putchar(c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : c);
        }
        printf("\n");
        text += bytes;
        length -= bytes;
        indent += further;
        further = 0;
    } while (length > 0);
}

/* The first lines of what a program wrote. */
static void print_lines(const char *head, const char *text)
{
    int lines = 0;

    if (!text || !text[strspn(text, " \n")])
        return;
    printf("\n  %s\n", head);
    for (; *text && lines < MOST_LINES; lines++) {
        size_t length = strcspn(text, "\n");
        print_line(text, length < MOST_COLUMNS ? length : MOST_COLUMNS, 4, 2);
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

void tell_head(const struct told_exercise *e, bool confined)
{
    if (!confined)
        printf("(without bubblewrap, which is not installed or may not work here, the program\n"
               "is not confined: it can do what you can)\n");
    printf("exercise %.*s: %s\n\n", number_length(e), e->name, e->file->title);
    fflush(stdout);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

void tell_mark(const struct told_exercise *e, const struct mark *m)
{
    int budgets = e->file->budgets;

    printf("  %-7s ", m->type);
    if (m->runs == 0)
        printf("%s\n", m->fault.message);
    else if (m->fault.rank == RANK_DONE)
        printf("right at %d size%s, no findings, %d budget%s met\n", m->runs, plural(m->runs),
               budgets, plural(budgets));
    else if (m->found > 0)
        printf("right at %d of %d size%s, findings at %d\n", m->right, m->runs, plural(m->runs),
               m->found);
    else
        printf("right at %d of %d size%s%s\n", m->right, m->runs, plural(m->runs),
               m->right == m->runs ? ", but not done" : "");
    fflush(stdout);
}

/* Is the finding a bug that the task asks to find, and nobody has asked for its lines? */
static bool is_secret(const struct told_exercise *e, const struct mark *m)
{
    return e->file->hunt && m->fault.brief && e->hint == 0;
}

/* How many hints there are: before those of the task one more that shows the lines. */
static int hints_of(const struct told_exercise *e, const struct mark *m)
{
    return m->fault.hints + (e->file->hunt && m->fault.brief);
}

/* The number of the hint that is shown; 0: none is. */
static int shown_hint(const struct told_exercise *e, const struct mark *m)
{
    int asked = e->hint > 0 || is_secret(e, m) ? e->hint : 1, count = hints_of(e, m);

    return asked < count ? asked : count;
}

static const char *hint_of(const struct told_exercise *e, const struct mark *m)
{
    int number = shown_hint(e, m) - (hints_of(e, m) - m->fault.hints);

    return number > 0 ? m->fault.hint[number - 1] : NULL;
}

static void tell_hint(const struct told_exercise *e, const struct mark *m)
{
    int count = hints_of(e, m), number = shown_hint(e, m);
    const char *hint = hint_of(e, m);

    if (hint) {
        printf("\n  Hint %d of %d:\n", number, count);
        print_wrapped(hint, 4);
    }
    if (number < count)
        printf("%s  %s: make mark-%.*s HINT=%d\n", hint ? "" : "\n",
               is_secret(e, m) ? "To see where" : "The next", number_length(e), e->name,
               number + 1);
}

static void tell_prediction(const struct told_exercise *e, const struct mark *m)
{
    if (!isnan(m->predicted) && !isnan(m->came))
        printf("\n  %s: you predicted %s; %s came.\n", e->file->prediction.words,
               text_number(m->predicted), text_number(m->came));
}

/* Where it is, with what is done there. */
static void tell_places(const struct fault *f)
{
    for (int i = 0; i < f->places; i++) {
        const struct place *p = &f->place[i];
        const char *line = text_of("main.cu:%d:%s%s  %.300s", p->line, p->does ? " " : "",
                                   p->does ? p->does : "", p->source ? p->source : "");
        print_line(line, strlen(line), 4, 10);
    }
}

void tell_end(const struct told_exercise *e, const struct mark *m)
{
    const struct fault *f = &m->fault;

    print_lines("The compiler says:", m->compiler);
    if (m->runs > 0 && f->rank != RANK_DONE) {
        printf("\n  %s\n", f->status == MARK_NOT_JUDGED ? "Could not be judged:" : "Not yet:");
        bool hunted = e->file->hunt && f->brief; /* what it said has the lines, and more */
        print_wrapped(hunted ? f->brief : f->message, 4);
        if (!hunted)
            tell_places(f);
    }
    print_lines("What it said:", is_secret(e, m) ? NULL : f->said);
    print_lines("What it printed:", m->printed);
    tell_prediction(e, m);
    if (f->rank != RANK_DONE)
        tell_hint(e, m);
    else
        printf("\n  Done. make solution-%.*s shows ours beside yours, make exercise goes on.\n",
               number_length(e), e->name);
}

/* ---- JSON ---- */

/* A text as JSON; NULL is null. What is no UTF-8 becomes U+FFFD. */
static const char *quoted(const char *text)
{
    char *result = NULL;
    size_t length;
    FILE *file = open_memstream(&result, &length);

    if (!text || !file)
        return "null";
    json_string(file, text);
    fclose(file);
    return result;
}

/* Numbers that are none do not exist in JSON. */
static const char *number(double value)
{
    return isfinite(value) ? text_of("%.10g", value) : "null";
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static const char *sizes(const struct task_file *file, const long *size)
{
    const char *list = "";

    for (int i = 0; i < file->sizes; i++)
        list = text_of("%s%s\"%s\": %ld", list, i > 0 ? ", " : "", file->size[i].name, size[i]);
    return text_of("{%s}", list);
}

static void print_budgets(FILE *f, const struct task_file *file, const struct mark *m)
{
    const char *comma = "";

    fprintf(f, "  \"budgets\": [");
    for (int i = 0; i < file->budgets; i++) {
        const struct measured *b = &m->measured[i];
        const struct task_budget *of = &file->budget[i];
        if (!b->any)
            continue;
        fprintf(f, "%s\n    {\"name\": %s, \"means\": %s,\n     \"value\": %s, \"limit\": %s, ",
                comma, quoted(of->name), quoted(of->means), number(b->value), number(b->limit));
        fprintf(f, "\"met\": %s, \"keep\": %s, \"sizes\": %s}", truth(b->met), truth(of->keep),
                sizes(file, b->size));
        comma = ",";
    }
    fprintf(f, "%s],\n", *comma ? "\n  " : "");
}

static void print_counters(FILE *f, const struct counters *counters)
{
    const char *name;
    double value;

    fprintf(f, "  \"counters\": {");
    for (int i = 0; (name = counters_name(i)) != NULL; i++) {
        counters_get(counters, name, 0, &value);
        fprintf(f, "%s\n    \"%s\": %s", i > 0 ? "," : "", name, number(value));
    }
    fprintf(f, "\n  },\n");
}

static void print_places(FILE *f, const struct place *place, int places)
{
    fprintf(f, "  \"places\": [");
    for (int i = 0; i < places; i++)
        fprintf(f, "%s{\"line\": %d, \"does\": %s, \"source\": %s}",
                i > 0 ? ",\n             " : "", place[i].line, quoted(place[i].does),
                quoted(place[i].source));
    fprintf(f, "],\n");
}

static void print_types(FILE *f, const struct mark *marks, int count)
{
    fprintf(f, "  \"types\": [");
    for (int i = 0; i < count; i++)
        fprintf(f, "%s{\"type\": \"%s\", \"reason\": \"%s\", \"runs\": %d, \"right\": %d}",
                i > 0 ? ",\n            " : "", marks[i].type, marks[i].fault.reason, marks[i].runs,
                marks[i].right);
    fprintf(f, "],\n");
}

static void print_json(FILE *f, const struct told_exercise *e, const struct mark *marks, int count)
{
    const struct mark *m = &marks[count - 1];
    bool done = m->fault.rank == RANK_DONE, secret = is_secret(e, m);

    fprintf(f, "{\n  \"version\": 1,\n  \"name\": %s,\n  \"title\": %s,\n", quoted(e->name),
            quoted(e->file->title));
    fprintf(f, "  \"passed\": %s,\n  \"status\": %d,\n  \"score\": %d,\n", truth(done),
            m->fault.status, m->score); /* those of the types before it are 100 */
    fprintf(f, "  \"reason\": %s,\n  \"message\": %s,\n", quoted(m->fault.reason),
            quoted(done     ? "Done."
                   : secret ? m->fault.brief
                            : m->fault.message));
    fprintf(f, "  \"hint\": %s,\n  \"hints\": %d,\n", quoted(done ? NULL : hint_of(e, m)),
            hints_of(e, m));
    print_places(f, m->fault.place, secret ? 0 : m->fault.places);
    fprintf(f, "  \"compiler\": %s,\n  \"said\": %s,\n  \"printed\": %s,\n  \"type\": %s,\n",
            quoted(m->compiler), quoted(secret ? NULL : m->fault.said), quoted(m->printed),
            quoted(m->type));
    print_types(f, marks, count);
    fprintf(f, "  \"sizes\": %s,\n  \"seed\": %llu,\n  \"predicted\": %s,\n  \"came\": %s,\n",
            sizes(e->file, m->size), e->seed, number(m->predicted), number(m->came));
    print_budgets(f, e->file, m);
    print_counters(f, &m->counters);
    fprintf(f, "  \"findings\": %s\n}\n", m->findings && !secret ? m->findings : "[]");
}

bool tell_json(const struct told_exercise *e, const struct mark *marks, int count, const char *path)
{
    const char *part = text_of("%s.part", path);
    FILE *file = fopen(part, "we");

    if (!file)
        return false;
    print_json(file, e, marks, count);
    if (fclose(file) == 0 && rename(part, path) == 0)
        return true;
    remove(part);
    return false;
}
