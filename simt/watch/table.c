/* Prints what was counted, in the style that is asked for; lays the table of counters out. */
#include "watch/table.h"
#include "simt.h"

#include <stdlib.h>
#include <string.h>

enum figure {
    REQUESTS,
    SECTORS,
    WAVEFRONTS,
    CONFLICTS,
    SECTORS_PER_REQUEST,
    LANES_PER_REQUEST,
    EFFICIENCY
};

/* The table's lines, and what others call the figure. kind EVENT_KINDS: all accesses of the space
 * together. */
static const struct line {
    const char *label, *metric;
    enum count_space space;
    enum event_kind kind;
    enum figure figure;
} lines[] = {
    {"global load requests", "global_load_requests", SPACE_GLOBAL, EVENT_LOAD, REQUESTS},
    {"            sectors", "global_load_sectors", SPACE_GLOBAL, EVENT_LOAD, SECTORS},
    {"            sectors/request", "", SPACE_GLOBAL, EVENT_LOAD, SECTORS_PER_REQUEST},
    {"       store requests", "global_store_requests", SPACE_GLOBAL, EVENT_STORE, REQUESTS},
    {"             sectors", "global_store_sectors", SPACE_GLOBAL, EVENT_STORE, SECTORS},
    {"       atomic requests", "global_atomic_requests", SPACE_GLOBAL, EVENT_ATOMIC, REQUESTS},
    {"       lanes/request", "global_lanes", SPACE_GLOBAL, EVENT_KINDS, LANES_PER_REQUEST},
    {"shared load requests", "shared_load_requests", SPACE_SHARED, EVENT_LOAD, REQUESTS},
    {"            wavefronts", "shared_load_wavefronts", SPACE_SHARED, EVENT_LOAD, WAVEFRONTS},
    {"            bank conflicts", "shared_load_bank_conflicts", SPACE_SHARED, EVENT_LOAD,
     CONFLICTS},
    {"       store requests", "shared_store_requests", SPACE_SHARED, EVENT_STORE, REQUESTS},
    {"             wavefronts", "shared_store_wavefronts", SPACE_SHARED, EVENT_STORE, WAVEFRONTS},
    {"             bank conflicts", "shared_store_bank_conflicts", SPACE_SHARED, EVENT_STORE,
     CONFLICTS},
    {"       atomic requests", "shared_atomic_requests", SPACE_SHARED, EVENT_ATOMIC, REQUESTS},
    {"       lanes/request", "shared_lanes", SPACE_SHARED, EVENT_KINDS, LANES_PER_REQUEST},
    {"warps at __syncthreads", "syncthreads", SPACE_SYNC, EVENT_SYNCTHREADS, REQUESTS},
    {"         __syncwarp", "syncwarps", SPACE_SYNC, EVENT_SYNCWARP, REQUESTS},
    {"         shuffles", "shuffles", SPACE_SYNC, EVENT_SHUFFLE, REQUESTS},
    {"         votes", "votes", SPACE_SYNC, EVENT_VOTE, REQUESTS},
    {"         reductions", "reductions", SPACE_SYNC, EVENT_REDUCE, REQUESTS},
    {"branch efficiency, %", "branch_efficiency_pct", SPACE_CONTROL, EVENT_BRANCH, EFFICIENCY},
};

enum { LINES = sizeof lines / sizeof *lines };

/* ---- figures ---- */

/* Where a counter has such a figure, or what it is a share of its requests of. */
static uint64_t *part_of(struct counter *c, enum figure figure)
{
    switch (figure) {
    case REQUESTS: return &c->requests;
    case SECTORS:
    case SECTORS_PER_REQUEST: return &c->sectors;
    case WAVEFRONTS: return &c->wavefronts;
    case CONFLICTS: return &c->bank_conflicts;
    default: return &c->lanes;
    }
}

bool totals_set(struct totals *totals, const char *metric, double value)
{
    int l = 0;

    while (l < LINES && strcmp(lines[l].metric, metric) != 0)
        l++;
    if (l == LINES)
        return false;
    struct counter *c =
        &totals->of[lines[l].space][lines[l].kind == EVENT_KINDS ? EVENT_LOAD : lines[l].kind];
    if (lines[l].figure == EFFICIENCY) { /* of branches whose number is not known */
        c->requests = 10000;
        value = 100 * value + 0.5;
    }
    *part_of(c, lines[l].figure) = (uint64_t)value;
    return true;
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
    uint64_t part = *part_of(&c, figure);
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

void table_print(FILE *file, const struct table_launch *launches, size_t count,
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

void table_print_rate(FILE *file, const char *label, const char *format, const double *values,
                      size_t count)
{
    char text[40];

    fprintf(file, "%-27s", label);
    for (size_t i = 0; i < count && i < TABLE_LAUNCHES; i++) {
        snprintf(text, sizeof text, format, values[i]);
        fprintf(file, " %11s", values[i] == 0 ? "-" : text);
    }
    fprintf(file, "\n");
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
    table_print(file, shown, count, &all);
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
