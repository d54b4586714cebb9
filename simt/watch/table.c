/* Prints what was counted, in the style that is asked for; lays the table of counters out. */
#include "watch/table.h"
#include "simt.h"

#include <stdlib.h>
#include <string.h>

/* A launch's counters added up by space and operation. */
struct totals {
    struct counter of[SPACE_NONE][EVENT_KINDS];
};

/* A launch: its size as it is shown, and its figures. */
struct table_launch {
    char grid[SIZE_TEXT], block[SIZE_TEXT];
    struct totals totals;
};

/* So many launches have a column of their own. */
enum { TABLE_LAUNCHES = 3 };

enum figure {
    REQUESTS,
    SECTORS,
    WAVEFRONTS,
    CONFLICTS,
    SECTORS_PER_REQUEST,
    LANES_PER_REQUEST,
    EFFICIENCY
};

/* The table's lines. kind EVENT_KINDS: all accesses of the space together. */
static const struct line {
    const char *label;
    enum count_space space;
    enum event_kind kind;
    enum figure figure;
} lines[] = {
    {"global load requests", SPACE_GLOBAL, EVENT_LOAD, REQUESTS},
    {"            sectors", SPACE_GLOBAL, EVENT_LOAD, SECTORS},
    {"            sectors/request", SPACE_GLOBAL, EVENT_LOAD, SECTORS_PER_REQUEST},
    {"       store requests", SPACE_GLOBAL, EVENT_STORE, REQUESTS},
    {"             sectors", SPACE_GLOBAL, EVENT_STORE, SECTORS},
    {"       atomic requests", SPACE_GLOBAL, EVENT_ATOMIC, REQUESTS},
    {"       lanes/request", SPACE_GLOBAL, EVENT_KINDS, LANES_PER_REQUEST},
    {"shared load requests", SPACE_SHARED, EVENT_LOAD, REQUESTS},
    {"            wavefronts", SPACE_SHARED, EVENT_LOAD, WAVEFRONTS},
    {"            bank conflicts", SPACE_SHARED, EVENT_LOAD, CONFLICTS},
    {"       store requests", SPACE_SHARED, EVENT_STORE, REQUESTS},
    {"             wavefronts", SPACE_SHARED, EVENT_STORE, WAVEFRONTS},
    {"             bank conflicts", SPACE_SHARED, EVENT_STORE, CONFLICTS},
    {"       atomic requests", SPACE_SHARED, EVENT_ATOMIC, REQUESTS},
    {"       lanes/request", SPACE_SHARED, EVENT_KINDS, LANES_PER_REQUEST},
    {"warps at __syncthreads", SPACE_SYNC, EVENT_SYNCTHREADS, REQUESTS},
    {"         __syncwarp", SPACE_SYNC, EVENT_SYNCWARP, REQUESTS},
    {"         shuffles", SPACE_SYNC, EVENT_SHUFFLE, REQUESTS},
    {"         votes", SPACE_SYNC, EVENT_VOTE, REQUESTS},
    {"         reductions", SPACE_SYNC, EVENT_REDUCE, REQUESTS},
    {"branch efficiency, %", SPACE_CONTROL, EVENT_BRANCH, EFFICIENCY},
};

enum { LINES = sizeof lines / sizeof *lines };

/* ---- figures ---- */

/* Such a figure of a counter, or what it is a share of its requests of. */
static uint64_t part_of(const struct counter *c, enum figure figure)
{
    switch (figure) {
    case REQUESTS: return c->requests;
    case SECTORS:
    case SECTORS_PER_REQUEST: return c->sectors;
    case WAVEFRONTS: return c->wavefronts;
    case CONFLICTS: return c->bank_conflicts;
    default: return c->lanes;
    }
}

static struct counter accesses(const struct totals *t, enum count_space space)
{
    struct counter sum = t->of[space][EVENT_LOAD];
    count_sum(&sum, &t->of[space][EVENT_STORE]);
    count_sum(&sum, &t->of[space][EVENT_ATOMIC]);
    return sum;
}

static struct counter counter_of(const struct line *line, const struct totals *totals)
{
    return line->kind == EVENT_KINDS ? accesses(totals, line->space)
                                     : totals->of[line->space][line->kind];
}

/* Operations that a program never uses need no line, but those of the ladder always have one. */
static bool worth_a_line(const struct line *line, const struct totals *all)
{
    bool rare =
        line->kind == EVENT_ATOMIC || line->kind == EVENT_VOTE || line->kind == EVENT_REDUCE;
    return !rare || counter_of(line, all).requests != 0;
}

/* ---- the table ---- */

static void print_figure(FILE *file, enum figure figure, struct counter c)
{
    uint64_t part = part_of(&c, figure);
    double requests = (double)c.requests;

    if (c.requests == 0 || (figure == LANES_PER_REQUEST && part == 0))
        fprintf(file, " %11s", "-");
    else if (figure < SECTORS_PER_REQUEST)
        fprintf(file, " %11llu", (unsigned long long)part);
    else
        fprintf(file, " %11.2f", (figure == EFFICIENCY ? 100 : 1) * (double)part / requests);
}

static void print_size(FILE *file, const struct table_launch *launch)
{
    char text[90];
    bool wide = strlen(launch->grid) + strlen(launch->block) > 8 && !strchr(launch->grid, 'x') &&
                !strchr(launch->block, 'x');

    snprintf(text, sizeof text, wide ? "%sx%s" : "%s x %s", launch->grid, launch->block);
    fprintf(file, " %11s", text);
}

static void print_head(FILE *file, const struct table_launch *launches, size_t count, size_t shown)
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

/* Prints the first of count launches, and, when there are several, all of them together. */
static void print_columns(FILE *file, const struct table_launch *launches, size_t count,
                          const struct totals *all)
{
    size_t shown = count < TABLE_LAUNCHES ? count : TABLE_LAUNCHES;

    print_head(file, launches, count, shown);
    for (int l = 0; l < LINES; l++) {
        if (!worth_a_line(&lines[l], all))
            continue;
        fprintf(file, "%-27s", lines[l].label);
        for (size_t i = 0; i < shown + (count > 1); i++)
            print_figure(file, lines[l].figure,
                         counter_of(&lines[l], i < shown ? &launches[i].totals : all));
        fprintf(file, "\n");
    }
}

/* ---- what was counted ---- */

const char *size_text(dim3 size, char text[SIZE_TEXT])
{
    snprintf(text, SIZE_TEXT,
             size.z > 1   ? "%ux%ux%u"
             : size.y > 1 ? "%ux%u"
                          : "%u",
             size.x, size.y, size.z);
    return text;
}

static void add_totals(struct totals *totals, const struct count_table *table)
{
    for (size_t i = 0; i < count_of(table); i++) {
        const struct counter *c = count_at(table, i);
        if (count_is_worth_telling(c))
            count_sum(&totals->of[c->space][c->kind], c);
    }
}

static void print_table(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct table_launch shown[TABLE_LAUNCHES] = {0};
    struct totals all = {0};

    for (size_t i = 0; i < count; i++) {
        add_totals(&all, &launches[i].table);
        if (i >= TABLE_LAUNCHES)
            continue;
        size_text(launches[i].grid, shown[i].grid);
        size_text(launches[i].block, shown[i].block);
        add_totals(&shown[i].totals, &launches[i].table);
    }
    print_columns(file, shown, count, &all);
}

void simt_print_counters(FILE *file, enum simt_style style, const char *step)
{
    size_t count;
    const struct counted_launch *launches = launches_all(&count);

    if (style == SIMT_CSV)
        lines_print_csv(file, launches, count, step);
    else if (style == SIMT_ANNOTATE)
        lines_annotate(file, launches, count);
    else
        print_table(file, launches, count);
}
