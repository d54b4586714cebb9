/*
 * make diff-02-03: two programs side by side in the terminal.
 *
 *     diff [--all] 02-03      two steps or detours by their names; --all folds nothing
 *     diff --rows OLD NEW     for scripts: what differs between the code of two files, a row a line
 *
 * Their code is compared; their header comments say different things, so they face each other as
 * titles, and in full with --all. A row of --rows is OLD,NEW,CHANGED,OLD_MARKS,NEW_MARKS: numbers
 * of lines (empty: none), 1 or 0, and for each side 0 and 1 for each byte of the line: marked or
 * not. Bad names are one line on stderr, status 2.
 */
#define _GNU_SOURCE
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { CONTEXT = 3 }; /* lines that stay around a change */

/* ---- the terminal ---- */

static bool colour;

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

/* COLUMNS, else that of the terminal, else 80. Messages still go to it where output goes to a
 * pager. */
static int terminal_width(void)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size = {0};
    int width = columns ? atoi(columns) : 0;
    if (width <= 0 && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width <= 0 ? 80 : width < 64 ? 64 : width;
}

/* One line of one column. It grows to any length; columns are counted apart from codes of colour.
 */
struct cell {
    char *text;
    size_t length;
    int columns;
};

static void put(struct cell *cell, const char *text, size_t length)
{
    cell->text = realloc(cell->text, cell->length + length + 1);
    if (!cell->text)
        die("not enough memory");
    memcpy(cell->text + cell->length, text, length);
    cell->text[cell->length += length] = 0;
}

static void paint(struct cell *cell, enum style style, const char *text, size_t length)
{
    char code[16];
    bool painted = colour && style && length;
    if (painted)
        put(cell, code, (size_t)snprintf(code, sizeof code, "\x1b[%sm", codes[style]));
    put(cell, text, length);
    for (size_t i = 0; i < length; i++)
        cell->columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    if (painted)
        put(cell, "\x1b[0m", 4);
}

/* The lines of a column; at most one more than there are bytes in what is wrapped. */
struct column {
    struct cell *cell;
    size_t count, room;
};

static struct cell *new_cell(struct column *column)
{
    if (column->count == column->room) {
        column->room = 2 * column->room + 8;
        column->cell = realloc(column->cell, column->room * sizeof *column->cell);
        if (!column->cell)
            die("not enough memory");
    }
    column->cell[column->count] = (struct cell){0};
    return &column->cell[column->count++];
}

/* The number of bytes of a text, which is not empty, that fit into so many columns: up to a blank
   or, in a heading, a dash, if there is one. */
static size_t fitting(const char *text, int columns, bool at_dashes)
{
    size_t end = 0, best = 0;
    for (int column = 0; text[end]; end++) {
        column += ((unsigned char)text[end] & 0xc0) != 0x80;
        if (column > columns)
            return best ? best : end ? end : 1;
        bool next_word = text[end] == ' ' && text[end + 1] != ' ';
        bool before_blank = text[end] != ' ' && text[end + 1] == ' ';
        if (end + 1 > 0 && (next_word || before_blank || (at_dashes && text[end] == '-')))
            best = end + 1;
    }
    return end;
}

static void heading(struct column *column, const char *text, enum style style, int width)
{
    while (*text) {
        size_t length = fitting(text, width - 1, true), shown = length;
        while (shown && text[shown - 1] == ' ')
            shown--;
        paint(new_cell(column), style, text, shown);
        text += length;
        text += strspn(text, " ");
    }
}

/* A line of code: number, sign, text, which goes on in the next line where it is too long. */
static void code_line(struct column *column, const struct line *line, bool is_new, bool changed,
                      int digits, int width)
{
    if (!line)
        return;
    enum style style = changed ? is_new ? NEW : OLD : PLAIN;
    const char *sign = changed ? is_new ? "+" : "-" : " ";
    size_t start = 0;
    do {
        struct cell *cell = new_cell(column);
        char number[16] = "";
        if (!start)
            snprintf(number, sizeof number, "%d", line->number);
        char padded[32];
        int length = snprintf(padded, sizeof padded, "%*s", digits, number);
        paint(cell, NOTE, padded, (size_t)length);
        paint(cell, style, sign, 1);
        paint(cell, PLAIN, " ", 1);
        size_t end = start + fitting(line->text + start, width - digits - 2, false);
        while (start < end) {
            size_t stop = start + 1;
            while (stop < end && line->marked[stop] == line->marked[start])
                stop++;
            enum style word = line->marked[start] ? is_new ? NEW_WORD : OLD_WORD : style;
            paint(cell, word, line->text + start, stop - start);
            start = stop;
        }
    } while (line->text[start]);
}

/* Two columns side by side, then they are empty again. */
static void print_faced(struct column *left, struct column *right, int width)
{
    for (size_t i = 0; i < left->count || i < right->count; i++) {
        struct cell out = {0}, none = {0};
        struct cell a = i < left->count ? left->cell[i] : none;
        struct cell b = i < right->count ? right->cell[i] : none;
        put(&out, a.text ? a.text : "", a.length);
        for (int column = a.columns; column < width; column++)
            put(&out, " ", 1);
        paint(&out, NOTE, "│", strlen("│"));
        put(&out, " ", 1);
        put(&out, b.text ? b.text : "", b.length);
        while (!colour && out.length && out.text[out.length - 1] == ' ')
            out.text[--out.length] = 0;
        puts(out.text);
        free(out.text);
        free(a.text);
        free(b.text);
    }
    left->count = right->count = 0;
}

static void print_rule(int width)
{
    struct cell out = {0};
    char *rule = zeroed((size_t)width, strlen("─") + 1);
    for (int i = 0; i < width; i++)
        strcat(rule, "─");
    paint(&out, NOTE, rule, strlen(rule));
    puts(out.text);
    free(out.text);
    free(rule);
}

/* ---- the comparison ---- */

static void print_rows(const struct row *rows, size_t count, int digits, int width)
{
    struct column left = {0}, right = {0};
    for (size_t i = 0; i < count; i++) {
        code_line(&left, rows[i].old, false, rows[i].changed, digits, width);
        code_line(&right, rows[i].new, true, rows[i].changed, digits, width);
        print_faced(&left, &right, width);
    }
}

static bool near_change(const struct row *rows, size_t count, size_t i)
{
    for (size_t j = i < CONTEXT ? 0 : i - CONTEXT; j < count && j <= i + CONTEXT; j++)
        if (rows[j].changed)
            return true;
    return false;
}

/* The rows, but of a long stretch of equal lines only those near a change. */
static void print_folded(const struct row *rows, size_t count, int digits, int width)
{
    for (size_t i = 0; i < count;) {
        size_t far = i;
        while (far < count && !near_change(rows, count, far))
            far++;
        if (far - i > 1) {
            struct cell out = {0};
            char text[64];
            int length = snprintf(text, sizeof text, "⋯ %zu lines the same", far - i);
            paint(&out, NOTE, text, (size_t)length);
            puts(out.text);
            free(out.text);
            i = far;
        } else {
            print_rows(&rows[i++], 1, digits, width);
        }
    }
}

static void print_comparison(struct program *old, struct program *new, bool all)
{
    int width = terminal_width() / 2 - 1; /* of a column; the bar and a blank are between two */
    char longest[16];
    size_t lines = old->count > new->count ? old->count : new->count;
    int digits = snprintf(longest, sizeof longest, "%zu", lines);
    struct row *rows = zeroed(old->count + new->count, sizeof *rows);
    struct column left = {0}, right = {0};

    heading(&left, old->path, NAME, width);
    heading(&right, new->path, NAME, width);
    print_faced(&left, &right, width);
    heading(&left, old->idea, PLAIN, width);
    heading(&right, new->idea, PLAIN, width);
    print_faced(&left, &right, width);
    print_rule(2 * width + 2);
    if (all) {
        size_t count = compare(old->lines, old->header, new->lines, new->header, rows);
        print_rows(rows, count, digits, width);
    }
    size_t count = compare(old->lines + old->header, old->count - old->header,
                           new->lines + new->header, new->count - new->header, rows);
    size_t removed = 0, added = 0;
    for (size_t i = 0; i < count; i++) {
        removed += rows[i].changed && rows[i].old;
        added += rows[i].changed && rows[i].new;
    }
    (all ? print_rows : print_folded)(rows, count, digits, width);
    print_rule(2 * width + 2);
    if (removed + added)
        printf("lines of code: %zu removed, %zu added", removed, added);
    else
        printf("the same code");
    puts(all ? "" : "; ALL=1 shows what is folded");
}

/* For scripts: every row of the code, unfolded. */
static void print_plain_rows(struct program *old, struct program *new)
{
    struct row *rows = zeroed(old->count + new->count, sizeof *rows);
    size_t count = compare(old->lines + old->header, old->count - old->header,
                           new->lines + new->header, new->count - new->header, rows);
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

int main(int count, char **arguments)
{
    bool all = count == 3 && strcmp(arguments[1], "--all") == 0;
    bool rows = count == 4 && strcmp(arguments[1], "--rows") == 0;
    if (!rows && count != 2 + all)
        die("want two programs, as in 02-03, or --rows OLD NEW");
    const char *paths[2] = {arguments[count - 2], arguments[count - 1]};
    if (!rows)
        find_pair(arguments[count - 1], paths);
    struct program old = program_at(paths[0]), new = program_at(paths[1]);
    colour = wants_colour();
    if (rows)
        print_plain_rows(&old, &new);
    else
        print_comparison(&old, &new, all);
    if (fflush(stdout) || ferror(stdout))
        die("the output cannot be written");
    return 0;
}
