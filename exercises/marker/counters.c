/* Rows of counters from their text, and sums over them. */
#define _GNU_SOURCE
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name stands for: rows of a space, of one operation or all (NULL), and which column. */
enum column { REQUESTS, LANES, SECTORS, WAVEFRONTS, CONFLICTS, OF_LAUNCH };

#define OF_GLOBAL(prefix, op)                                                                      \
    {prefix "requests", "global", op, REQUESTS}, {prefix "lanes", "global", op, LANES},            \
    {                                                                                              \
        prefix "sectors", "global", op, SECTORS                                                    \
    }
#define OF_SHARED(prefix, op)                                                                      \
    {prefix "requests", "shared", op, REQUESTS}, {prefix "lanes", "shared", op, LANES},            \
        {prefix "wavefronts", "shared", op, WAVEFRONTS},                                           \
    {                                                                                              \
        prefix "bank_conflicts", "shared", op, CONFLICTS                                           \
    }

static const struct name {
    const char *name, *space, *op;
    enum column column;
} names[] = {
    {"launches", NULL, NULL, OF_LAUNCH},         {"blocks", NULL, NULL, OF_LAUNCH},
    {"threads", NULL, NULL, OF_LAUNCH},          OF_GLOBAL("global_", NULL),
    OF_GLOBAL("global_load_", "load"),           OF_GLOBAL("global_store_", "store"),
    OF_GLOBAL("global_atomic_", "atomic"),       OF_SHARED("shared_", NULL),
    OF_SHARED("shared_load_", "load"),           OF_SHARED("shared_store_", "store"),
    OF_SHARED("shared_atomic_", "atomic"),       {"syncthreads", "sync", "syncthreads", REQUESTS},
    {"syncwarps", "sync", "syncwarp", REQUESTS}, {"shuffles", "sync", "shuffle", REQUESTS},
    {"votes", "sync", "vote", REQUESTS},         {"reductions", "sync", "reduce", REQUESTS},
    {"branches", "control", "branch", REQUESTS}, {"uniform_branches", "control", "branch", LANES},
};
enum { NAMES = sizeof names / sizeof *names };

const char *counters_name(int index)
{
    return index < NAMES ? names[index].name : NULL;
}

/* ---- reading ---- */

/* Threads or blocks from 256 or 16x16x1. */
static unsigned size_of(const char *text)
{
    unsigned x = 0, y = 1, z = 1;

    sscanf(text, "%ux%ux%u", &x, &y, &z);
    return x * y * z;
}

/* From step,launch,grid,block,file,line,space,op and five figures, of which some are empty. The
 * file may have commas, so the fields behind it are counted from the end. */
static bool read_row(char *text, const char *file, struct counters_row *row)
{
    char *field[8], *place, grid[40], block[40];
    int skipped;

    for (int i = 7; i >= 0; i--) {
        if ((field[i] = strrchr(text, ',')) == NULL)
            return false;
        *field[i]++ = '\0';
    }
    if (sscanf(text, ",%u,%39[0-9x],%39[0-9x],%n", &row->launch, grid, block, &skipped) != 3)
        return false;
    place = text + skipped;
    row->blocks = size_of(grid);
    row->threads = size_of(block);
    row->line = strcmp(place, file) == 0 ? atoi(field[0]) : 0;
    snprintf(row->space, sizeof row->space, "%.11s", field[1]);
    snprintf(row->op, sizeof row->op, "%.11s", field[2]);
    row->requests = atof(field[3]);
    row->lanes = atof(field[4]);
    row->sectors = atof(field[5]);
    row->wavefronts = atof(field[6]);
    row->bank_conflicts = atof(field[7]);
    return true;
}

bool counters_read(const char *text, const char *file, struct counters *counters)
{
    char *copy = strdup(text), *rest = copy, *line;
    size_t room = 0;
    bool good = copy && (line = strsep(&rest, "\n")) != NULL && strncmp(line, "step,", 5) == 0;

    *counters = (struct counters){NULL, 0};
    while (good && (line = strsep(&rest, "\n")) != NULL && *line) {
        if (counters->rows == room) {
            room = 2 * room + 64;
            counters->row = realloc(counters->row, room * sizeof *counters->row);
            if (!counters->row)
                abort();
        }
        good = read_row(line, file, &counters->row[counters->rows++]);
    }
    free(copy);
    return good;
}

void counters_free(struct counters *counters)
{
    free(counters->row);
}

/* ---- sums ---- */

static double column_of(const struct counters_row *row, enum column column)
{
    switch (column) {
    case REQUESTS: return row->requests;
    case LANES: return row->lanes;
    case SECTORS: return row->sectors;
    case WAVEFRONTS: return row->wavefronts;
    case CONFLICTS: return row->bank_conflicts;
    default: return 0;
    }
}

/* Each launch has rows of its own, which follow each other. */
static double of_launches(const struct counters *counters, const char *name)
{
    double sum = 0;

    for (size_t i = 0; i < counters->rows; i++) {
        const struct counters_row *row = &counters->row[i];
        if (i > 0 && row->launch == row[-1].launch)
            continue;
        sum += *name == 'l' ? 1 : *name == 'b' ? row->blocks : (double)row->blocks * row->threads;
    }
    return sum;
}

bool counters_get(const struct counters *counters, const char *name, size_t length, int line,
                  double *value)
{
    const struct name *known = NULL;

    for (int i = 0; i < NAMES && !known; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
            known = &names[i];
    if (!known)
        return false;
    *value = known->column == OF_LAUNCH ? of_launches(counters, known->name) : 0;
    for (size_t i = 0; i < counters->rows && known->column != OF_LAUNCH; i++) {
        const struct counters_row *row = &counters->row[i];
        if (strcmp(row->space, known->space) == 0 && (line == 0 || row->line == line) &&
            (known->op ? strcmp(row->op, known->op) == 0 : true))
            *value += column_of(row, known->column);
    }
    return true;
}

double counters_few_lanes(const struct counters *counters, int few)
{
    double sum = 0;

    for (size_t i = 0; i < counters->rows; i++) {
        const struct counters_row *row = &counters->row[i];
        if (strcmp(row->space, "global") == 0 && strcmp(row->op, "load") == 0 &&
            row->lanes < few * row->requests)
            sum += row->lanes;
    }
    return sum;
}
