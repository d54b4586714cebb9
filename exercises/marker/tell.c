/* Prints a mark for the student. */
#define _GNU_SOURCE
#include "tell.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 78, MOST_LINES = 12, MOST_COLUMNS = 500 };

/* ---- lines of text ---- */

/* How many bytes of a text fit into that many columns: up to a blank, if the last third of the line
 * has one. Only a byte that begins a character of UTF-8 takes a column. */
static size_t fitting(const char *text, size_t length, int columns)
{
    size_t bytes = 0, blank = 0;

    for (int column = 0; bytes < length; bytes++) {
        column += ((unsigned char)text[bytes] & 0xc0) != 0x80;
        if (text[bytes] == ' ' && column > 2 * columns / 3)
            blank = bytes + 1;
        if (column > columns)
            return blank > 0 ? blank : bytes;
    }
    return bytes;
}

/* Prints so much of a text as one line, which is continued in further ones, indented by `further`
 * columns more. A ? stands for a control character, and breaks what a workflow of GitHub would take
 * for a command: "::" at a line's start, "##[" anywhere. */
static void print_line(const char *text, size_t length, int indent, int further)
{
    do {
        size_t bytes = fitting(text, length, WIDTH - indent);
        size_t shown = bytes < length && text[bytes - 1] == ' ' ? bytes - 1 : bytes;
        printf("%*s", indent, "");
        bool begun = false;
        for (size_t i = 0; i < shown; i++) {
            unsigned char c = (unsigned char)text[i];
            bool command = strncmp(text + i, "##[", 3) == 0;
            command |= !begun && strncmp(text + i, "::", 2) == 0;
            begun |= c > ' ' && c < 0x7f; /* blanks of all scripts may stand in front */
            putchar(c == '\t' ? ' ' : c < 0x20 || c == 0x7f || command ? '?' : c);
        }
        printf("\n");
        text += bytes;
        length -= bytes;
        indent += further;
        further = 0;
    } while (length > 0);
}

/* Prints the first lines of a program's output, if there is any. */
static void print_said(const char *head, const char *text)
{
    if (!text || !text[strspn(text, " \n")])
        return;
    printf("\n  %s\n", head);
    for (int lines = 0; *text && lines < MOST_LINES; lines++) {
        size_t length = strcspn(text, "\n"), most = MOST_COLUMNS;
        if (strspn(text, " |~^") == length) /* marks below a line of source: their rest is cut */
            most = WIDTH - 4;
        print_line(text, length < most ? length : most, 4, 2);
        text += length + (text[length] == '\n');
    }
    if (*text)
        printf("    …\n");
}

static void print_all(const char *text, int indent, int further)
{
    print_line(text, strlen(text), indent, further);
}

/* ---- a mark ---- */

/* The number in front of a name: 04 of 04-halve-the-barriers. */
static const char *number_of(void)
{
    return text_of("%.*s", (int)strcspn(loaded.name, "-"), loaded.name);
}

/* Has exercise.sh not told it yet? It names a folder, which is made when it is told. */
static bool is_new(void)
{
    const char *told = getenv("MARK_TOLD");

    return !told || mkdir(told, 0755) == 0;
}

void tell_head(bool confined)
{
    if (!confined && is_new())
        printf("(without bubblewrap, which is not installed or may not work here, the program\n"
               "is not confined: it can do what you can)\n");
    printf("exercise %s: %s\n\n", number_of(), loaded.exercise.title);
    fflush(stdout);
}

void tell_mark(const struct mark *m)
{
    if (m->runs == 0) {
        print_all(text_of("%-7s %s", m->type, m->fault.message), 2, 8);
        return;
    }
    printf("  %-7s right at %d of %d sizes%s\n", m->type, m->right, m->runs,
           m->fault.rank == RANK_DONE ? text_of(", no findings, %d budgets met", m->budgets)
           : m->found > 0             ? text_of(", findings at %d", m->found)
           : m->right == m->runs      ? ", but not done"
                                      : "");
    fflush(stdout);
}

static bool is_hunted(const struct mark *m)
{
    return loaded.exercise.hunt && m->fault.rank == RANK_FINDING;
}

struct hints tell_hints(const struct mark *m, int asked)
{
    const bool hunted = is_hunted(m);
    struct hints h = {.number = asked == 0 && !hunted ? 1 : asked,
                      .count = m->fault.hints + hunted};

    if (h.number > h.count)
        h.number = h.count;
    h.text = h.number > hunted ? m->fault.hint[h.number - hunted - 1] : NULL;
    return h;
}

void tell_nothing_yet(struct mark *m)
{
    if (!is_hunted(m))
        return;
    m->fault.said = NULL;
    m->fault.places = 0;
    m->trial.findings.list = NULL;
}

static void tell_hint(const struct mark *m, int asked)
{
    struct hints h = tell_hints(m, asked);

    if (h.text) {
        printf("\n  Hint %d of %d:\n", h.number, h.count);
        print_all(h.text, 4, 0);
    }
    if (h.number < h.count)
        printf("%s  %s: make mark-%s HINT=%d\n", h.text ? "" : "\n",
               h.number == 0 ? "To see where" : "The next", number_of(), h.number + 1);
}

/* Prints the lines of main.cu, each with the operation there. */
static void tell_places(const struct fault *f)
{
    for (int i = 0; i < f->places; i++) {
        const struct place *p = &f->place[i];
        print_all(text_of("main.cu:%d:%s%s  %.300s", p->line, p->does ? " " : "",
                          p->does ? p->does : "", p->source ? p->source : ""),
                  4, 10);
    }
}

void tell_end(const struct mark *m, int asked)
{
    const struct fault *f = &m->fault;

    print_said("The compiler says:", m->compiler);
    if (m->runs > 0 && f->rank != RANK_DONE) {
        printf("\n  %s\n", f->status == MARK_NOT_JUDGED ? "Could not be judged:" : "Not yet:");
        print_all(f->message, 4, 0);
        if (!is_hunted(m)) /* else the backend's report has the lines, and more */
            tell_places(f);
    }
    print_said("What it said:", f->said);
    print_said("What it printed:", m->trial.ended.out);
    if (!isnan(m->came) && (m->no_number || !isnan(m->predicted))) {
        const bool near = fabs(m->predicted - m->came) <= fabs(m->came) / 10;
        const char *line =
            m->no_number
                ? text_of("PREDICT: '%.40s' is no number; want one such as 4 or 1.5.", m->no_number)
                : text_of("%s: you predicted %s; it is %s.%s", m->predicts,
                          text_number(m->predicted), text_number(m->came),
                          near ? "" : " Find out what your figure counts before you go on.");
        printf("\n");
        print_all(line, 2, 2);
    }
    if (f->rank != RANK_DONE)
        tell_hint(m, asked);
    else
        printf("\n  Done. make solution-%s shows ours beside yours, make exercise goes on.\n",
               number_of());
}
