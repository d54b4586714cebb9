/* Lays the table of counters out. */
#include "watch/table.h"

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

/* ---- figures: pure ---- */

bool totals_set(struct totals *totals, const char *metric, double value)
{
    int l = 0;

    while (l < LINES && strcmp(lines[l].metric, metric) != 0)
        l++;
    if (l == LINES)
        return false;
    struct counter *c =
        &totals->of[lines[l].space][lines[l].kind == EVENT_KINDS ? EVENT_LOAD : lines[l].kind];
    switch (lines[l].figure) {
    case REQUESTS: c->requests = (uint64_t)value; break;
    case SECTORS: c->sectors = (uint64_t)value; break;
    case WAVEFRONTS: c->wavefronts = (uint64_t)value; break;
    case CONFLICTS: c->bank_conflicts = (uint64_t)value; break;
    case LANES_PER_REQUEST: c->lanes = (uint64_t)value; break;
    case EFFICIENCY: /* of branches whose number is not known */
        c->requests = 10000;
        c->lanes = (uint64_t)(100 * value + 0.5);
        break;
    default: return false;
    }
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

const char *table_size(unsigned x, unsigned y, unsigned z, char text[40])
{
    if (z > 1)
        snprintf(text, 40, "%ux%ux%u", x, y, z);
    else if (y > 1)
        snprintf(text, 40, "%ux%u", x, y);
    else
        snprintf(text, 40, "%u", x);
    return text;
}

/* ---- cells ---- */

static void print_figure(FILE *file, enum figure figure, const struct counter *c)
{
    double requests = (double)c->requests;

    if (c->requests == 0 || (figure == LANES_PER_REQUEST && c->lanes == 0))
        fprintf(file, " %11s", "-");
    else if (figure == REQUESTS)
        fprintf(file, " %11llu", (unsigned long long)c->requests);
    else if (figure == SECTORS)
        fprintf(file, " %11llu", (unsigned long long)c->sectors);
    else if (figure == WAVEFRONTS)
        fprintf(file, " %11llu", (unsigned long long)c->wavefronts);
    else if (figure == CONFLICTS)
        fprintf(file, " %11llu", (unsigned long long)c->bank_conflicts);
    else if (figure == SECTORS_PER_REQUEST)
        fprintf(file, " %11.2f", (double)c->sectors / requests);
    else if (figure == LANES_PER_REQUEST)
        fprintf(file, " %11.2f", (double)c->lanes / requests);
    else
        fprintf(file, " %11.2f", 100 * (double)c->lanes / requests);
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
        for (size_t i = 0; i < shown + (count > 1); i++) {
            struct counter c = counter_of(&lines[l], i < shown ? &launches[i].totals : all);
            print_figure(file, lines[l].figure, &c);
        }
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
