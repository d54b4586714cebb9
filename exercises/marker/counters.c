/* Rows of counters from their text, and sums over them. */
#define _GNU_SOURCE
#include "counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name stands for: rows of a space, of one operation or all (NULL), and which column. Where
 * there is no space, it is a launch's. */
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
    enum counters_column column;
} names[] = {
    {"launches", NULL, NULL, LAUNCHES},
    {"blocks", NULL, NULL, BLOCKS},
    {"threads", NULL, NULL, THREADS},
    OF_GLOBAL("global_", NULL),
    OF_GLOBAL("global_load_", "load"),
    OF_GLOBAL("global_store_", "store"),
    OF_GLOBAL("global_atomic_", "atomic"),
    OF_SHARED("shared_", NULL),
    OF_SHARED("shared_load_", "load"),
    OF_SHARED("shared_store_", "store"),
    OF_SHARED("shared_atomic_", "atomic"),
    {"syncthreads", "sync", "syncthreads", REQUESTS},
    {"syncwarps", "sync", "syncwarp", REQUESTS},
    {"shuffles", "sync", "shuffle", REQUESTS},
    {"votes", "sync", "vote", REQUESTS},
    {"reductions", "sync", "reduce", REQUESTS},
    {"branches", "control", "branch", REQUESTS},
    {"uniform_branches", "control", "branch", LANES},
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
    char *field[8], grid[40], block[40];
    int place;

    for (int i = 7; i >= 0; i--) {
        if ((field[i] = strrchr(text, ',')) == NULL)
            return false;
        *field[i]++ = '\0';
    }
    if (sscanf(text, ",%u,%39[0-9x],%39[0-9x],%n", &row->launch, grid, block, &place) != 3)
        return false;
    row->line = strcmp(text + place, file) == 0 ? atoi(field[0]) : 0;
    snprintf(row->space, sizeof row->space, "%.11s", field[1]);
    snprintf(row->op, sizeof row->op, "%.11s", field[2]);
    for (int i = REQUESTS; i <= CONFLICTS; i++)
        row->figure[i] = atof(field[3 + i]);
    row->figure[LAUNCHES] = 1;
    row->figure[BLOCKS] = size_of(grid);
    row->figure[THREADS] = row->figure[BLOCKS] * size_of(block);
    return true;
}

bool counters_read(const char *text, const char *file, struct counters *counters)
{
    char *copy = strdup(text), *rest = copy, *line;
    bool good = copy && (line = strsep(&rest, "\n")) != NULL && strncmp(line, "step,", 5) == 0;

    *counters = (struct counters){NULL, 0};
    for (; good && (line = strsep(&rest, "\n")) != NULL && *line; counters->rows++) {
        counters->row = realloc(counters->row, (counters->rows + 1) * sizeof *counters->row);
        if (!counters->row)
            abort();
        struct counters_row *row = &counters->row[counters->rows];
        good = read_row(line, file, row);
        if (counters->rows > 0 && row->launch == row[-1].launch)
            row->figure[LAUNCHES] = row->figure[BLOCKS] = row->figure[THREADS] = 0;
    }
    free(copy);
    return good;
}

void counters_free(struct counters *counters)
{
    free(counters->row);
}

/* ---- sums ---- */

bool counters_get(const struct counters *counters, const char *name, int line, double *value)
{
    const struct name *known = NULL;

    for (int i = 0; i < NAMES && !known; i++)
        if (strcmp(names[i].name, name) == 0)
            known = &names[i];
    if (!known)
        return false;
    *value = 0;
    for (size_t i = 0; i < counters->rows; i++) {
        const struct counters_row *row = &counters->row[i];
        bool counts = !known->space || (strcmp(row->space, known->space) == 0 &&
                                        (!known->op || strcmp(row->op, known->op) == 0) &&
                                        (line == 0 || row->line == line));
        *value += counts ? row->figure[known->column] : 0;
    }
    return true;
}

double counters_few_lanes(const struct counters *counters, int few)
{
    double sum = 0;

    for (size_t i = 0; i < counters->rows; i++) {
        const struct counters_row *row = &counters->row[i];
        if (strcmp(row->space, "global") == 0 && strcmp(row->op, "load") == 0 &&
            row->figure[LANES] < few * row->figure[REQUESTS])
            sum += row->figure[LANES];
    }
    return sum;
}
