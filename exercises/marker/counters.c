/* Sums over the rows of counters. */
#define _GNU_SOURCE
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTER(of, ...)                                                                           \
    {                                                                                              \
        offsetof(struct figures, of), #of, __VA_ARGS__                                             \
    }
#define OF_GLOBAL(of, op)                                                                          \
    COUNTER(of##requests, "global", op, REQUESTS), COUNTER(of##lanes, "global", op, LANES),        \
        COUNTER(of##sectors, "global", op, SECTORS)
#define OF_SHARED(of, op)                                                                          \
    COUNTER(of##requests, "shared", op, REQUESTS), COUNTER(of##lanes, "shared", op, LANES),        \
        COUNTER(of##wavefronts, "shared", op, WAVEFRONTS),                                         \
        COUNTER(of##bank_conflicts, "shared", op, CONFLICTS)

enum column { REQUESTS, LANES, SECTORS, WAVEFRONTS, CONFLICTS, COLUMNS };

static const struct counter {
    size_t at;          /* its offset in struct figures */
    const char *name;   /* also in the JSON */
    const char *space;  /* of the rows whose figures it adds up; NULL: it counts launches */
    const char *op;     /* of these rows; NULL: all */
    enum column column; /* of these rows */
} names[] = {
    COUNTER(launches, NULL, NULL, COLUMNS),
    COUNTER(blocks, NULL, NULL, COLUMNS),
    COUNTER(threads, NULL, NULL, COLUMNS),
    OF_GLOBAL(global_, NULL),
    OF_GLOBAL(global_load_, "load"),
    OF_GLOBAL(global_store_, "store"),
    OF_GLOBAL(global_atomic_, "atomic"),
    OF_SHARED(shared_, NULL),
    OF_SHARED(shared_load_, "load"),
    OF_SHARED(shared_store_, "store"),
    OF_SHARED(shared_atomic_, "atomic"),
    COUNTER(syncthreads, "sync", "syncthreads", REQUESTS),
    COUNTER(syncwarps, "sync", "syncwarp", REQUESTS),
    COUNTER(shuffles, "sync", "shuffle", REQUESTS),
    COUNTER(shuffle_lanes, "sync", "shuffle", LANES),
    COUNTER(votes, "sync", "vote", REQUESTS),
    COUNTER(reductions, "sync", "reduce", REQUESTS),
    COUNTER(branches, "control", "branch", REQUESTS),
};
enum { NAMES = sizeof names / sizeof *names };

const char *counters_named(const struct figures *figures, int index, double *value)
{
    if (index >= NAMES)
        return NULL;
    *value = *(const double *)((const char *)figures + names[index].at);
    return names[index].name;
}

/* A figure that is counted for no line, in proportion to a counter of which rest is left. */
static double left(double figure, double rest, double all)
{
    return all > 0 ? figure * rest / all : figure;
}

struct figures counters_without(const struct counters *c, const struct figures *all, size_t line)
{
    const char *figures = (const char *)&c->line[line].figures;
    struct figures rest = *all;

    for (int i = 0; i < NAMES; i++)
        if (names[i].space)
            *(double *)((char *)&rest + names[i].at) -= *(const double *)(figures + names[i].at);
    rest.few_shared = left(all->few_shared, rest.shared_load_requests, all->shared_load_requests);
    rest.active_masks = left(all->active_masks, rest.votes, all->votes);
    /* masks that do not name all lanes are those of shuffles that not all lanes call */
    rest.unnamed_lanes = left(all->unnamed_lanes, 32 * rest.shuffles - rest.shuffle_lanes,
                              32 * all->shuffles - all->shuffle_lanes);
    return rest;
}

struct row {
    unsigned launch;        /* its number */
    double blocks, threads; /* of the launch */
    int line;               /* 0: of another file */
    const char *space, *op; /* such as global, load */
    double figure[COLUMNS];
};

/* The number of threads or blocks in a text such as 256 or 16x16x1. */
static unsigned size_of(const char *text)
{
    unsigned x = 0, y = 1, z = 1;

    sscanf(text, "%ux%ux%u", &x, &y, &z);
    return x * y * z;
}

/* Reads step,launch,grid,block,file,line,space,op and five figures, some of them empty. The file's
 * name may have commas, so the fields behind it are counted from the end. */
static bool read_row(char *text, const char *file, struct row *row)
{
    char *field[8], grid[40], block[40];
    int place = 0;

    for (int i = 7; i >= 0; i--) {
        if ((field[i] = strrchr(text, ',')) == NULL)
            return false;
        *field[i]++ = '\0';
    }
    if (sscanf(text, ",%u,%39[0-9x],%39[0-9x],%n", &row->launch, grid, block, &place) != 3)
        return false;
    row->blocks = size_of(grid);
    row->threads = row->blocks * size_of(block);
    row->line = strcmp(text + place, file) == 0 ? atoi(field[0]) : 0;
    row->space = field[1];
    row->op = field[2];
    for (int i = 0; i < COLUMNS; i++)
        row->figure[i] = atof(field[3 + i]);
    return true;
}

static void add_row(const struct row *row, struct figures *to)
{
    for (int i = 0; i < NAMES; i++) {
        const struct counter *c = &names[i];
        if (c->space && strcmp(row->space, c->space) == 0 &&
            (!c->op || strcmp(row->op, c->op) == 0))
            *(double *)((char *)to + c->at) += row->figure[c->column];
    }
}

static struct figures *of_line(struct counters *c, int line)
{
    for (size_t i = 0; i < c->lines; i++)
        if (c->line[i].line == line)
            return &c->line[i].figures;
    c->line = realloc(c->line, (c->lines + 1) * sizeof *c->line);
    if (!c->line)
        abort();
    c->line[c->lines] = (struct line_figures){.line = line};
    return &c->line[c->lines++].figures;
}

bool counters_read(char *text, const char *file, struct counters *c)
{
    char *line = strsep(&text, "\n");
    double before = 0, most = 0; /* loads of the launches before, and of the one with most */
    unsigned launch = 0;
    struct row row;

    *c = (struct counters){.lines = 0};
    if (strncmp(line, "step,", 5) != 0)
        return false;
    while ((line = strsep(&text, "\n")) != NULL && *line) {
        if (!read_row(line, file, &row))
            return false;
        if (row.launch != launch) {
            c->all.launches++;
            c->all.blocks += row.blocks;
            c->all.threads += row.threads;
            launch = row.launch;
            before = c->all.global_load_lanes;
        }
        add_row(&row, &c->all);
        if (c->all.global_load_lanes - before > most) {
            most = c->all.global_load_lanes - before;
            c->all.most_blocks = row.blocks, c->all.most_threads = row.threads;
        }
        if (row.line > 0)
            add_row(&row, of_line(c, row.line));
    }
    return true;
}
