/* Reads the source, and prints it with the counters. */
#define _GNU_SOURCE
#include "watch/annotate.h"
#include "run/end.h"
#include "watch/lines.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct source {
    char **line; /* line[1 … count] */
    int count;
};

static struct source read_source(const char *name)
{
    struct source source = {0};
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t room = 0;

    while (file && getline(&text, &room, file) >= 0) {
        char **larger = realloc(source.line, ((size_t)source.count + 2) * sizeof *larger);
        if (!larger)
            end_fatal("no memory for the source of %s", name);
        source.line = larger;
        text[strcspn(text, "\n")] = '\0';
        source.line[++source.count] = strdup(text);
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

/* The figures of one operation, FIGURES characters wide. */
enum { FIGURES = 35 };

static const char *figures_text(const struct counter *c, char text[80])
{
    char name[32], lanes[16], cost[16] = "";
    double requests = (double)c->requests;
    bool memory = c->space <= SPACE_SHARED;

    snprintf(name, sizeof name, "%s%s%s", memory ? count_space_names[c->space] : "",
             memory ? " " : "", count_operation_names[c->kind]);
    if (c->space == SPACE_CONTROL)
        snprintf(lanes, sizeof lanes, "%.1f%%", 100 * (double)c->lanes / requests);
    else
        snprintf(lanes, sizeof lanes, "%.2f", (double)c->lanes / requests);
    if (c->space == SPACE_GLOBAL)
        snprintf(cost, sizeof cost, "%.2fs", (double)c->sectors / requests);
    else if (c->space == SPACE_SHARED)
        snprintf(cost, sizeof cost, "%.2fw", (double)c->wavefronts / requests);
    snprintf(text, 80, "%-13s%8llu%7s%7s", name, (unsigned long long)c->requests, lanes, cost);
    return text;
}

/* On a terminal lines are cut where it ends, so that the columns stay columns. */
static int source_width(FILE *file)
{
    struct winsize size;

    if (!isatty(fileno(file)) || ioctl(fileno(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return 1000;
    return size.ws_col > FIGURES + 16 ? size.ws_col - FIGURES - 6 : 10;
}

static void print_annotated_line(FILE *file, const struct source *source, int number,
                                 const struct counted_line *rows, size_t count)
{
    char text[80];
    int width = source_width(file);
    bool first = true;

    for (size_t i = 0; i < count; i++) {
        if (rows[i].place.line != number)
            continue;
        fprintf(file, "%-*s", FIGURES, figures_text(&rows[i].sum, text));
        if (first)
            fprintf(file, " |%3d %.*s\n", number, width, source->line[number]);
        else
            fprintf(file, " |\n");
        first = false;
    }
    if (first)
        fprintf(file, "%*s |%3d %.*s\n", FIGURES, "", number, width, source->line[number]);
}

void annotate_print(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct count_table all = {0};
    size_t rows, end;

    for (size_t i = 0; i < count; i++)
        count_add(&all, &launches[i].table);
    struct counted_line *row = lines_of(&all, &rows);
    for (size_t begin = 0; begin < rows; begin = end) {
        const char *name = row[begin].place.file;
        struct source source = read_source(name);
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
        fprintf(file, "lanes, s(ectors), w(avefronts): per request; branches: %% taken alike\n");
        fprintf(file, "%-13s%8s%7s%7s |\n", "operation", "requests", "lanes", "cost");
        for (int i = first > 0 ? first : 1; i <= last; i++)
            print_annotated_line(file, &source, i, row + begin, end - begin);
        free_source(&source);
    }
    free(row);
    count_free(&all);
}
