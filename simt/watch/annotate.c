/* Reads the source, and prints it with the counters. */
#define _GNU_SOURCE
#include "watch/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A copy, on a terminal with blanks up to the next of every 8 columns instead of tabs. The caller
 * frees. */
static char *copy_of(const char *text, bool terminal)
{
    char *copy = malloc(8 * strlen(text) + 1);
    size_t used = 0;

    if (!copy)
        array_no_memory();
    for (; *text; text++)
        do
            copy[used++] = terminal && *text == '\t' ? ' ' : *text;
        while (terminal && *text == '\t' && used % 8);
    copy[used] = '\0';
    return copy;
}

/* The part of a file to show: from the line of the kernel's (or device function's) head before the
 * first counted line to the closing brace behind the last. */
static void widen_range(const struct source_file *source, size_t *first, size_t *last)
{
    while (*first > 1 && !strstr(source->line[*first - 1], "__global__") &&
           !strstr(source->line[*first - 1], "__device__"))
        --*first;
    while (*last < source->lines && (*last == 0 || source->line[*last - 1][0] != '}'))
        ++*last;
}

/* How wide the figures of an operation are. A terminal shows them shorter, so that the source
 * beside them has room. */
enum { WIDE = 35, NARROW = 32 };

static const char *figures_text(const struct counter *c, bool narrow, char text[80])
{
    char name[32], lanes[16] = "", cost[16] = "";
    double requests = (double)c->requests;
    bool memory = c->space <= SPACE_SHARED;
    int digits = narrow ? 1 : 2;

    snprintf(name, sizeof name, "%s%s%s", memory ? count_space_names[c->space] : "",
             memory ? " " : "", count_operation_names[c->kind]);
    if (c->space == SPACE_CONTROL)
        snprintf(narrow ? cost : lanes, sizeof lanes, "%.1f%%", 100 * (double)c->lanes / requests);
    else
        snprintf(lanes, sizeof lanes, "%.*f", digits, (double)c->lanes / requests);
    if (c->space == SPACE_GLOBAL)
        snprintf(cost, sizeof cost, "%.*fs", digits, (double)c->sectors / requests);
    else if (c->space == SPACE_SHARED)
        snprintf(cost, sizeof cost, "%.*fw", digits, (double)c->wavefronts / requests);
    if (narrow)
        snprintf(text, 80, "%s%*llu%6s%6s", name, 20 - (int)strlen(name),
                 (unsigned long long)c->requests, lanes, cost);
    else
        snprintf(text, 80, "%-13s%8llu%7s%7s", name, (unsigned long long)c->requests, lanes, cost);
    return text;
}

/* Of a terminal; 0 where lines may be of any length. */
static int columns_of(FILE *file)
{
    struct winsize size;

    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* So much of a text goes into a line with room for so many bytes: up to its last blank there, or up
 * to the edge if that would leave nothing. */
static size_t fitting(const char *text, size_t room)
{
    size_t end = room;

    if (strlen(text) <= room)
        return strlen(text);
    while (end > 0 && text[end] != ' ')
        end--;
    if (end > strspn(text, " "))
        return end;
    for (end = room; ((unsigned char)text[end] & 0xC0) == 0x80;) /* within a character */
        end--;
    return end;
}

static const struct counted_line *next_of(const struct counted_line *row,
                                          const struct counted_line *end, size_t number)
{
    while (row < end && (size_t)row->place.line != number)
        row++;
    return row;
}

/* A line of the source beside the figures of its operations; on a terminal of so many columns its
 * text goes on below, four columns deeper, where it is too long. */
static void print_annotated_line(FILE *file, const char *text, size_t number,
                                 const struct counted_line *row, const struct counted_line *end,
                                 int columns)
{
    int width = columns ? NARROW : WIDE, around = width + 6, used, hang = 0;
    size_t room = !columns ? strlen(text) : columns > around + 20 ? (size_t)(columns - around) : 20;
    size_t indent = strspn(text, " ");
    int deeper = (int)(indent + 4 < room / 2 ? indent + 4 : room / 2);
    char figures[80];

    row = next_of(row, end, number);
    for (int part = 0; part == 0 || row < end || *text; part++) {
        fprintf(file, "%-*s |", width,
                row < end ? figures_text(&row->sum, columns > 0, figures) : "");
        if (part == 0)
            fprintf(file, "%3zu ", number);
        else if (*text)
            fprintf(file, "%*s", 4 + hang, "");
        used = (int)fitting(text, room - (size_t)hang);
        fprintf(file, "%.*s\n", used, text);
        text += used + strspn(text + used, " ");
        hang = deeper;
        row = next_of(row + (row < end), end, number);
    }
}

/* The rows from begin to end, which are of one file. */
static void annotate_file(FILE *file, const struct counted_line *begin,
                          const struct counted_line *end, size_t launches)
{
    const char *name = begin->place.file;
    const struct source_file *source = source_file(name);
    size_t first = (size_t)begin->place.line, last = (size_t)end[-1].place.line;
    int columns = columns_of(file);

    if (source->lines < last) {
        fprintf(file, "%s: cannot be read\n", name);
        return;
    }
    widen_range(source, &first, &last);
    fprintf(file, "%s, launches: %zu\n", name, launches);
    fprintf(file, "lanes, s(ectors), w(avefronts): per request\n");
    fprintf(file, "%% of branches: all active lanes of the warp go the same way\n");
    fprintf(file, columns ? "%-12s%8s%6s%6s |\n" : "%-13s%8s%7s%7s |\n", "operation", "requests",
            "lanes", "cost");
    for (size_t i = first > 0 ? first : 1; i <= last; i++) {
        char *text = copy_of(source->line[i - 1], columns > 0);
        print_annotated_line(file, text, i, begin, end, columns);
        free(text);
    }
}

void annotate_print(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct count_table all = {0};
    size_t rows, end;

    for (size_t i = 0; i < count; i++)
        count_add(&all, &launches[i].table);
    struct counted_line *row = lines_of(&all, &rows);
    for (size_t begin = 0; begin < rows; begin = end) {
        for (end = begin; end < rows && strcmp(row[end].place.file, row[begin].place.file) == 0;)
            end++;
        annotate_file(file, row + begin, row + end, count);
    }
    free(row);
    count_free(&all);
}
