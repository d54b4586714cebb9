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

/* The offset of a figure. */
#define REQUESTS   offsetof(struct cost, requests)
#define LANES      offsetof(struct cost, lanes)
#define SECTORS    offsetof(struct cost, sectors)
#define WAVEFRONTS offsetof(struct cost, wavefronts)
#define CONFLICTS  offsetof(struct cost, bank_conflicts)
#define COMBINED   offsetof(struct cost, combined)

/* The lines of the table. */
static const struct line {
    const char *label;
    enum count_space space; /* it shows the counter of this space */
    enum event_kind kind;   /* and kind: */
    size_t figure;          /* this figure */
    int times;              /* 0: itself; else so many times the figure per request */
} lines[] = {
    {"global load requests", SPACE_GLOBAL, EVENT_LOAD, REQUESTS},
    {"            sectors", SPACE_GLOBAL, EVENT_LOAD, SECTORS},
    {"            sectors/request", SPACE_GLOBAL, EVENT_LOAD, SECTORS, 1},
    {"       store requests", SPACE_GLOBAL, EVENT_STORE, REQUESTS},
    {"             sectors", SPACE_GLOBAL, EVENT_STORE, SECTORS},
    {"       atomic requests", SPACE_GLOBAL, EVENT_ATOMIC, REQUESTS},
    {"              sectors", SPACE_GLOBAL, EVENT_ATOMIC, SECTORS},
    {"              one lane's by nvcc", SPACE_GLOBAL, EVENT_ATOMIC, COMBINED},
    {"       lanes/request", SPACE_GLOBAL, EVENT_KINDS, LANES, 1},
    {"shared load requests", SPACE_SHARED, EVENT_LOAD, REQUESTS},
    {"            wavefronts", SPACE_SHARED, EVENT_LOAD, WAVEFRONTS},
    {"            bank conflicts", SPACE_SHARED, EVENT_LOAD, CONFLICTS},
    {"       store requests", SPACE_SHARED, EVENT_STORE, REQUESTS},
    {"             wavefronts", SPACE_SHARED, EVENT_STORE, WAVEFRONTS},
    {"             bank conflicts", SPACE_SHARED, EVENT_STORE, CONFLICTS},
    {"       atomic requests", SPACE_SHARED, EVENT_ATOMIC, REQUESTS},
    {"              wavefronts", SPACE_SHARED, EVENT_ATOMIC, WAVEFRONTS},
    {"              bank conflicts", SPACE_SHARED, EVENT_ATOMIC, CONFLICTS},
    {"              one lane's by nvcc", SPACE_SHARED, EVENT_ATOMIC, COMBINED},
    {"       lanes/request", SPACE_SHARED, EVENT_KINDS, LANES, 1},
    {"warps at __syncthreads", SPACE_SYNC, EVENT_SYNCTHREADS, REQUESTS},
    {"         __syncwarp", SPACE_SYNC, EVENT_SYNCWARP, REQUESTS},
    {"         shuffles", SPACE_SYNC, EVENT_SHUFFLE, REQUESTS},
    {"         votes", SPACE_SYNC, EVENT_VOTE, REQUESTS},
    {"         reductions", SPACE_SYNC, EVENT_REDUCE, REQUESTS},
    {"source branch efficiency, %", SPACE_CONTROL, EVENT_BRANCH, LANES, 100},
};

enum { LINES = sizeof lines / sizeof *lines };

/* Rare operations have a line only if the program uses them; the ladder's always have one. */
static bool worth_a_line(const struct line *line, const struct totals *all)
{
    bool rare =
        line->kind == EVENT_ATOMIC || line->kind == EVENT_VOTE || line->kind == EVENT_REDUCE;
    const struct cost *c = &all->of[line->space][line->kind];

    return !rare || (line->figure == COMBINED ? c->combined : c->requests) != 0;
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
