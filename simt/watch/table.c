/* Prints counters: the table with a column for each launch; and simt_print_counters. */
#include "run/block.h"
#include "watch/count.h"

#include <string.h>

/* A launch's figures summed by space and operation. Entry EVENT_KINDS is the sum of the space. */
struct totals {
    struct cost of[SPACE_NONE][EVENT_KINDS + 1];
};

/* So many launches have a column of their own. One more column is the sum of all launches. */
enum { TABLE_LAUNCHES = 3 };

/* The lines of the table. */
static const struct line {
    const char *label;
    enum count_space space; /* it shows the counter of this space */
    enum event_kind kind;   /* and kind: */
    size_t figure;          /* this figure, by its offset */
    int times;              /* 0: itself; else so many times the figure per request */
} lines[] = {
#define SIMT_ROW(label, space, kind, figure, times)                                                \
    {label, SPACE_##space, EVENT_##kind, offsetof(struct cost, figure), times},
#include "watch/table.rows"
};

enum { LINES = sizeof lines / sizeof *lines };

/* Rare operations have a line only if the program uses them; the ladder's always have one. */
static bool worth_a_line(const struct line *line, const struct totals *all)
{
    bool rare =
        line->kind == EVENT_ATOMIC || line->kind == EVENT_VOTE || line->kind == EVENT_REDUCE;
    bool combined = line->figure == offsetof(struct cost, combined);
    const struct cost *c = &all->of[line->space][line->kind];

    return !rare || (combined ? c->combined : c->requests) != 0;
}

/* ---- the table ---- */

static void print_figure(FILE *file, const struct line *line, const struct cost *c)
{
    uint64_t figure = *(const uint64_t *)((const char *)c + line->figure);

    if (c->requests == 0)
        fprintf(file, " %11s", "-");
    else if (line->times == 0)
        fprintf(file, " %11llu", (unsigned long long)figure);
    else
        fprintf(file, " %11.2f", line->times * (double)figure / (double)c->requests);
}

static void print_size(FILE *file, const struct counted_launch *launch)
{
    char grid[LAUNCH_SIZE_TEXT], block[LAUNCH_SIZE_TEXT], text[90];

    launch_size(launch->grid, "x", grid);
    launch_size(launch->block, "x", block);
    bool wide = strlen(grid) + strlen(block) > 8 && !strchr(grid, 'x') && !strchr(block, 'x');
    snprintf(text, sizeof text, wide ? "%sx%s" : "%s x %s", grid, block);
    fprintf(file, " %11s", text);
}

static void print_head(FILE *file, const struct counted_launch *launches, size_t count,
                       size_t shown)
{
    char text[60];

    snprintf(text, sizeof text, "counters, %zu launch%s", count, count == 1 ? "" : "es");
    fprintf(file, "%-27s", text);
    for (size_t i = 0; i < shown; i++)
        fprintf(file, "    launch %zu", i + 1);
    if (count > 1)
        fprintf(file, " %11s", "all");
    fprintf(file, "\n%-27s", "blocks x threads");
    for (size_t i = 0; i < shown; i++)
        print_size(file, &launches[i]);
    fprintf(file, "\n");
}

static void add_totals(struct totals *totals, const struct counted_launch *launch)
{
    for (const struct counter *c = launch->counter; c < launch->counter + launch->count; c++) {
        count_sum(&totals->of[c->space][c->kind], &c->cost);
        count_sum(&totals->of[c->space][EVENT_KINDS], &c->cost);
    }
}

/* Prints the first launches, and, if there are several, the sum of all. */
static void print_table(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct totals totals[TABLE_LAUNCHES + 1] = {0};
    size_t shown = count < TABLE_LAUNCHES ? count : TABLE_LAUNCHES;

    for (size_t i = 0; i < count; i++) {
        add_totals(&totals[shown], &launches[i]);
        if (i < shown)
            add_totals(&totals[i], &launches[i]);
    }
    print_head(file, launches, count, shown);
    for (const struct line *l = lines; l < lines + LINES; l++) {
        if (!worth_a_line(l, &totals[shown]))
            continue;
        fprintf(file, "%-27s", l->label);
        for (size_t i = 0; i < shown + (count > 1); i++)
            print_figure(file, l, &totals[i].of[l->space][l->kind]);
        fprintf(file, "\n");
    }
}

void simt_print_counters(FILE *file, enum simt_style style, const char *step)
{
    size_t count;
    const struct counted_launch *launches = count_launches(&count);

    if (style == SIMT_CSV)
        lines_print_csv(file, launches, count, step);
    else if (style == SIMT_ANNOTATE)
        lines_annotate(file, launches, count);
    else
        print_table(file, launches, count);
}
