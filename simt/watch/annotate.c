/* Reads the source, and prints it with the counters. */
#define _GNU_SOURCE
#include "watch/launches.h"
#include "run/end.h"
#include "watch/jump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct source {
    char **line; /* line[1 … count] */
    int count;
    size_t room;
};

/* A copy, with blanks up to the next of every 8 columns instead of tabs. The caller frees. */
static char *without_tabs(const char *text)
{
    char *copy = malloc(8 * strlen(text) + 1);
    size_t used = 0;

    if (!copy)
        end_fatal("no memory for a line of the source");
    for (; *text; text++)
        do
            copy[used++] = *text == '\t' ? ' ' : *text;
        while (*text == '\t' && used % 8);
    copy[used] = '\0';
    return copy;
}

static struct source read_source(const char *name, bool tabs)
{
    struct source source = {0};
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t room = 0;

    while (file && getline(&text, &room, file) >= 0) {
        array_room((void **)&source.line, (size_t)source.count + 1, &source.room, SIZE_MAX,
                   sizeof *source.line);
        text[strcspn(text, "\n")] = '\0';
        source.line[++source.count] = tabs ? strdup(text) : without_tabs(text);
    }
    free(text);
    if (file)
        fclose(file);
    return source;
}

static void free_source(struct source *source)
{
    for (int i = 1; i <= source->count; i++)
        free(source->line[i]);
    free(source->line);
}

/* The part of a file to show: from the line of the kernel's (or device function's) head before the
 * first counted line to the closing brace behind the last. */
static void widen_range(const struct source *source, int *first, int *last)
{
    while (*first > 1 && !strstr(source->line[*first], "__global__") &&
           !strstr(source->line[*first], "__device__"))
        --*first;
    while (*last < source->count && source->line[*last][0] != '}')
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
                                          const struct counted_line *end, int number)
{
    while (row < end && row->place.line != number)
        row++;
    return row;
}

/* A line of the source beside the figures of its operations; on a terminal of so many columns its
 * text goes on below, four columns deeper, where it is too long. */
static void print_annotated_line(FILE *file, const struct source *source, int number,
                                 const struct counted_line *row, size_t count, int columns)
{
    const char *text = source->line[number];
    const struct counted_line *end = row + count;
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
            fprintf(file, "%3d ", number);
        else if (*text)
            fprintf(file, "%*s", 4 + hang, "");
        used = (int)fitting(text, room - (size_t)hang);
        fprintf(file, "%.*s\n", used, text);
        text += used + strspn(text + used, " ");
        hang = deeper;
        row = next_of(row + (row < end), end, number);
    }
}

void annotate_print(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct count_table all = {0};
    size_t rows, end;
    int columns = columns_of(file);

    for (size_t i = 0; i < count; i++)
        count_add(&all, &launches[i].table);
    struct counted_line *row = lines_of(&all, &rows);
    for (size_t begin = 0; begin < rows; begin = end) {
        const char *name = row[begin].place.file;
        struct source source = read_source(name, columns == 0);
        for (end = begin; end < rows && strcmp(row[end].place.file, name) == 0;)
            end++;
        int first = row[begin].place.line, last = row[end - 1].place.line;
        if (source.count < last) {
            fprintf(file, "%s: cannot be read\n", name);
            free_source(&source);
            continue;
        }
        widen_range(&source, &first, &last);
        fprintf(file, "%s, launches: %zu\n", name, count);
        fprintf(file, "lanes, s(ectors), w(avefronts): per request\n");
        fprintf(file, "%% of branches: all active lanes of the warp go the same way\n");
        fprintf(file, columns ? "%-12s%8s%6s%6s |\n" : "%-13s%8s%7s%7s |\n", "operation",
                "requests", "lanes", "cost");
        for (int i = first > 0 ? first : 1; i <= last; i++)
            print_annotated_line(file, &source, i, row + begin, end - begin, columns);
        free_source(&source);
    }
    free(row);
    count_free(&all);
}

/* ---- counters by source line ---- */

static int by_place(const void *a, const void *b)
{
    const struct counted_line *x = a, *y = b;
    int files = strcmp(x->place.file, y->place.file);

    if (files != 0)
        return files;
    if (x->place.line != y->place.line)
        return x->place.line - y->place.line;
    return x->sum.space != y->sum.space ? x->sum.space - y->sum.space : x->sum.kind - y->sum.kind;
}

/* The pc to look up. Of a branch the log knows only the last hook before it. */
static uint32_t place_of(const struct counter *c)
{
    return c->space == SPACE_CONTROL ? jump_place(c->pc, c->target) : c->pc;
}

struct counted_line *lines_of(const struct count_table *table, size_t *count)
{
    struct counted_line *rows = malloc((count_of(table) + 1) * sizeof *rows);
    uint32_t *pcs = calloc(count_of(table) + 1, sizeof *pcs);
    struct source_line *places = malloc((count_of(table) + 1) * sizeof *places);
    size_t n = 0, last = 0;

    if (!rows || !pcs || !places)
        end_fatal("no memory to print counters");
    for (size_t i = 0; i < count_of(table); i++)
        if (count_is_worth_telling(count_at(table, i))) {
            pcs[n] = place_of(count_at(table, i));
            rows[n++].sum = *count_at(table, i);
        }
    source_lines(pcs, n, places);
    for (size_t i = 0; i < n; i++)
        rows[i].place = places[i];
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&rows[last], &rows[i]) == 0)
            count_sum(&rows[last].sum, &rows[i].sum);
        else
            rows[++last] = rows[i];
    free(pcs);
    free(places);
    *count = n ? last + 1 : 0;
    return rows;
}
