/*
 * make diff-02-03: two programs side by side in the terminal.
 *
 *     diff [--all] OLD NEW    two main.cu; --all folds nothing
 *     diff --rows OLD NEW     for scripts: what differs between the code of two files, a row a line
 *
 * Their code is compared; their header comments say different things, so their first lines face
 * each other as titles, and all lines with --all. A row of --rows is
 * OLD,NEW,CHANGED,OLD_MARKS,NEW_MARKS: numbers of lines (empty: none), 1 or 0, and for each side 0
 * and 1 for each byte of the line: marked or not. What cannot be read is one line, status 2.
 */
#define _GNU_SOURCE
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CONTEXT = 3 }; /* lines that stay around a change */

static void die(const char *what, const char *why)
{
    fprintf(stderr, "make diff: %s%s\n", what, why);
    exit(2);
}

/* ---- a main.cu ---- */

struct program {
    const char *path;
    struct line *lines; /* the header comment's, then the code's */
    size_t count, header;
};

static struct program program_at(const char *path)
{
    struct program program = {.path = path};
    FILE *file = fopen(path, "r");
    bool in_header = true;
    if (!file)
        die(path, ": cannot be read");
    do {
        char *text = NULL;
        size_t room = 0;
        if (getline(&text, &room, file) < 0)
            break;
        text[strcspn(text, "\r\n")] = 0;
        for (char *c = text; *c; c++) /* a terminal would obey a control character */
            *c = (*c > 0 && *c < ' ' && *c != '\t') || *c == 127 ? '?' : *c;
        size_t before = program.count++;
        program.lines = realloc(program.lines, program.count * sizeof *program.lines);
        if (!program.lines)
            die(path, ": too large");
        program.lines[before] = (struct line){.text = text, .number = (int)program.count};
        in_header &= before > 0 || strncmp(text, "/*", 2) == 0;
        program.header += in_header;
        in_header &= !strstr(text, "*/");
    } while (true);
    fclose(file);
    return program;
}

/* The first line of its header comment. */
static const char *title_of(const struct program *program)
{
    const char *text = program->header ? program->lines[0].text : "";
    return text + strspn(text, "/* ");
}

/* ---- the terminal ---- */

static bool colour;
static int width;  /* of a column; the bar and a blank are between two */
static int digits; /* of the largest number of a line */

/* A changed word is reversed as well: that can be seen on light and dark terminals, and in grey. */
enum style { PLAIN, NAME, NOTE, OLD, NEW, OLD_WORD, NEW_WORD };
static const char *const codes[] = {"", "1", "2", "31", "32", "1;7;31", "1;7;32"};

/* On a terminal, and where CLICOLOR_FORCE is set; never with NO_COLOR (https://no-color.org). */
static bool wants_colour(void)
{
    const char *force = getenv("CLICOLOR_FORCE"), *term = getenv("TERM"), *no = getenv("NO_COLOR");
    bool dumb = term && strcmp(term, "dumb") == 0;
    return ((force && strcmp(force, "0") != 0) || (isatty(STDOUT_FILENO) && !dumb)) && !(no && *no);
}

/* COLUMNS, else that of the terminal, else 80. A pager may have the output, but no messages. */
static int terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size = {0};
    int found = columns ? atoi(columns) : 0;
    if (found <= 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        found = size.ws_col;
    return found <= 0 ? 80 : found < 64 ? 64 : found;
}

/* Of a letter of several bytes the first counts as a column. */
static bool is_column(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static int paint(enum style style, const char *text, size_t length)
{
    bool painted = colour && style && length;
    int columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += is_column(text[i]);
    printf(painted ? "\x1b[%sm%.*s\x1b[0m" : "%s%.*s", painted ? codes[style] : "", (int)length,
           text);
    return columns;
}

/* ---- rows of two sides ---- */

/* What is printed in a column, over as many rows as it takes. A line without a number is a heading.
 */
struct side {
    const struct line *line; /* NULL: none */
    const char *text;        /* what is still to be printed of it; NULL: nothing */
    enum style style;
};

/* The number of bytes of a text that fit into so many columns: up to a blank or, in a heading, a
 * dash, if there is one. */
static size_t fitting(const char *text, int columns, bool at_dashes)
{
    size_t end = 0, best = 0;
    for (int column = 0; text[end]; end++) {
        column += is_column(text[end]);
        if (column > columns)
            return best ? best : end ? end : 1;
        bool next_word = text[end] == ' ' && text[end + 1] != ' ';
        bool before_blank = text[end] != ' ' && text[end + 1] == ' ';
        if (next_word || before_blank || (at_dashes && text[end] == '-'))
            best = end + 1;
    }
    return end;
}

/* Prints the next row of a side; returns its columns. */
static int print_side(struct side *side)
{
    int columns = 0;
    if (!side->text)
        return 0;
    const struct line *line = side->line;
    const char *text = side->text, *sign = side->style == OLD   ? "-"
                                           : side->style == NEW ? "+"
                                                                : " ";
    if (line->number) {
        char number[16];
        int length = snprintf(number, sizeof number, "%*d", digits, line->number);
        columns += paint(NOTE, text == line->text ? number : "               ", (size_t)length);
        columns += paint(side->style, sign, 1) + paint(PLAIN, " ", 1);
    }
    const char *end = text + fitting(text, width - (columns ? columns : 1), !line->number);
    while (text < end) {
        const unsigned char *marks = line->marked + (text - line->text);
        size_t length = 1;
        while (text + length < end && marks[length] == marks[0])
            length++;
        columns += paint(*marks ? side->style + OLD_WORD - OLD : side->style, text, length);
        text += length;
    }
    text += line->number ? 0 : strspn(text, " ");
    side->text = *text ? text : NULL;
    return columns;
}

static void print_sides(const struct line *old, enum style old_style, const struct line *new,
                        enum style new_style)
{
    struct side left = {old, old ? old->text : NULL, old_style};
    struct side right = {new, new ? new->text : NULL, new_style};
    do {
        int columns = print_side(&left);
        printf("%*s", width - columns, "");
        paint(NOTE, "│", strlen("│"));
        if (right.text)
            putchar(' ');
        print_side(&right);
        putchar('\n');
    } while (left.text || right.text);
}

static void print_headings(const char *left, const char *right, enum style style)
{
    struct line old = {left, .marked = zeroed(strlen(left), 1)};
    struct line new = {right, .marked = zeroed(strlen(right), 1)};
    print_sides(&old, style, &new, style);
}

static void print_rule(void)
{
    size_t columns = (size_t)(2 * width + 2), bytes = strlen("─");
    char *rule = zeroed(columns, bytes);
    for (size_t i = 0; i < columns; i++)
        memcpy(rule + i * bytes, "─", bytes);
    paint(NOTE, rule, columns * bytes);
    putchar('\n');
}

/* ---- the comparison ---- */

static bool near_change(const struct row *rows, size_t count, size_t i)
{
    for (size_t j = i < CONTEXT ? 0 : i - CONTEXT; j < count && j <= i + CONTEXT; j++)
        if (rows[j].changed)
            return true;
    return false;
}

/* The rows; unless all are asked for, of a long stretch of equal lines only those near a change. */
static void print_rows(const struct row *rows, size_t count, bool all)
{
    for (size_t i = 0; i < count;) {
        size_t far = i;
        while (!all && far < count && !near_change(rows, count, far))
            far++;
        if (far - i > 1) {
            char text[64];
            int length = snprintf(text, sizeof text, "⋯ %zu lines the same", far - i);
            paint(NOTE, text, (size_t)length);
            putchar('\n');
            i = far;
        } else {
            bool changed = rows[i].changed;
            print_sides(rows[i].old, changed ? OLD : PLAIN, rows[i].new, changed ? NEW : PLAIN);
            i++;
        }
    }
}

static void print_comparison(struct program *old, struct program *new, const struct row *rows,
                             size_t count, bool all)
{
    size_t lines = old->count > new->count ? old->count : new->count, removed = 0, added = 0;
    colour = wants_colour();
    width = terminal_width() / 2 - 1;
    digits = snprintf(NULL, 0, "%zu", lines);

    print_headings(old->path, new->path, NAME);
    print_headings(title_of(old), title_of(new), PLAIN);
    print_rule();
    if (all) {
        struct row *headers = zeroed(old->header + new->header, sizeof *headers);
        print_rows(headers, compare(old->lines, old->header, new->lines, new->header, headers),
                   all);
    }
    for (size_t i = 0; i < count; i++) {
        removed += rows[i].changed && rows[i].old;
        added += rows[i].changed && rows[i].new;
    }
    print_rows(rows, count, all);
    print_rule();
    if (removed + added)
        printf("lines of code: %zu removed, %zu added", removed, added);
    else
        printf("the same code");
    puts(all ? "" : "; ALL=1 shows what is folded");
}

/* For scripts: every row of the code, unfolded. */
static void print_plain_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct line *side[] = {rows[i].old, rows[i].new};
        for (int s = 0; s < 2; s++)
            side[s] ? printf("%d,", side[s]->number) : printf(",");
        printf("%d", rows[i].changed);
        for (int s = 0; s < 2; s++) {
            putchar(',');
            for (size_t c = 0; side[s] && side[s]->text[c]; c++)
                putchar('0' + side[s]->marked[c]);
        }
        putchar('\n');
    }
}

int main(int count, char **words)
{
    bool all = count > 3 && strcmp(words[1], "--all") == 0;
    bool plain = count > 3 && strcmp(words[1], "--rows") == 0;
    if (count != 3 + (all || plain))
        die("want two files of programs, ", "and --all or --rows in front");
    struct program old = program_at(words[count - 2]), new = program_at(words[count - 1]);
    struct row *rows = zeroed(old.count + new.count, sizeof *rows);
    size_t found = compare(old.lines + old.header, old.count - old.header, new.lines + new.header,
                           new.count - new.header, rows);
    if (plain)
        print_plain_rows(rows, found);
    else
        print_comparison(&old, &new, rows, found, all);
    if (fflush(stdout) || ferror(stdout))
        die("the output cannot be written", "");
    return 0;
}
