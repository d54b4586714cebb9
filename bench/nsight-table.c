/* The counters that Nsight Compute read, as the table that the CPU backend prints of its own: reads
 * the rows of nsight.sh --launches, one program's,
 *
 *     step,name,type,block,n,launch,grid,threads,metric,value
 *
 * and prints the table, write-up 0's further figures at its end. A row that is none of these is
 * told in one line, exit status 1. */
#define _GNU_SOURCE
#include "watch/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 10 };

/* Figures of a launch that the CPU backend has not: an opcode does not tell of these requests
 * whether they are global or shared; the others have no sum over launches. */
struct further {
    double generic_requests, instructions_per_warp, global_load_throughput;
};

static struct table_launch *launches;
static struct further *further;
static size_t count;

static void fail(const char *what)
{
    fprintf(stderr, "nsight-table: %s; want the rows of nsight.sh --launches\n", what);
    exit(1);
}

/* Cuts a line at its commas, empty fields included. */
static void split(char *line, char *field[COLUMNS])
{
    int n = 0;

    line[strcspn(line, "\n")] = '\0';
    while (n < COLUMNS && (field[n] = strsep(&line, ",")) != NULL)
        n++;
    if (n < COLUMNS || line != NULL)
        fail("a row of another number of columns than 10");
}

static double number(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (*end || end == text || !isfinite(value) || value < 0)
        fail("a value that is no number");
    return value;
}

/* Makes room for launch number `launch`, which is the last one so far or the next. */
static void need_launch(double launch)
{
    if (launch < 1 || launch > (double)count + 1)
        fail("launches that are not in order");
    if ((size_t)launch <= count)
        return;
    launches = realloc(launches, (count + 1) * sizeof *launches);
    further = realloc(further, (count + 1) * sizeof *further);
    if (!launches || !further)
        fail("no memory");
    launches[count] = (struct table_launch){0};
    further[count++] = (struct further){0};
}

static void take(char *field[COLUMNS])
{
    const char *metric = field[8];
    double value = number(field[9]);

    need_launch(number(field[5]));
    struct table_launch *launch = &launches[count - 1];
    snprintf(launch->grid, sizeof launch->grid, "%s", field[6]);
    snprintf(launch->block, sizeof launch->block, "%s", field[7]);
    if (totals_set(&launch->totals, metric, value))
        return;
    if (strcmp(metric, "generic_requests") == 0)
        further[count - 1].generic_requests = value;
    else if (strcmp(metric, "instructions_per_warp") == 0)
        further[count - 1].instructions_per_warp = value;
    else if (strcmp(metric, "global_load_throughput") == 0)
        further[count - 1].global_load_throughput = value / 1e9;
    else
        fail("a metric that is not in nsight-metrics");
}

static void print_title(char *field[COLUMNS])
{
    for (char *c = field[1]; *c; c++)
        if (*c == '-')
            *c = ' ';
    printf("%s%s%s%s, n = %s %s: Nsight Compute\n", *field[0] ? "step " : "", field[0],
           *field[0] ? "  " : "", field[1], field[4], field[2]);
}

static void forget_lanes(struct totals *totals)
{
    totals_set(totals, "global_lanes", 0);
    totals_set(totals, "shared_lanes", 0);
}

/* All launches together, branches left out, of which only each launch's percentage is known. Where
 * some accesses go to who knows what, so do their lanes. */
static struct totals add_up(void)
{
    struct totals all = {0};
    bool unknown = false;

    for (size_t i = 0; i < count; i++) {
        for (int space = SPACE_GLOBAL; space <= SPACE_SYNC; space++)
            for (int kind = 0; kind < EVENT_KINDS; kind++)
                count_sum(&all.of[space][kind], &launches[i].totals.of[space][kind]);
        if (further[i].generic_requests > 0) {
            unknown = true;
            forget_lanes(&launches[i].totals);
        }
    }
    if (unknown)
        forget_lanes(&all);
    return all;
}

int main(void)
{
    char *line = NULL, *field[COLUMNS], *title[COLUMNS], *first = NULL;
    size_t room = 0;

    while (getline(&line, &room, stdin) >= 0) {
        if (!first && (first = strdup(line)) != NULL)
            split(first, title);
        split(line, field);
        take(field);
    }
    if (!first)
        fail("no row");
    print_title(title);
    struct totals all = add_up();
    table_print(stdout, launches, count, &all);

    double instructions[TABLE_LAUNCHES] = {0}, throughput[TABLE_LAUNCHES] = {0};
    for (size_t i = 0; i < count && i < TABLE_LAUNCHES; i++) {
        instructions[i] = further[i].instructions_per_warp;
        throughput[i] = further[i].global_load_throughput;
    }
    table_print_rate(stdout, "instructions per warp", "%.2f", instructions, count);
    table_print_rate(stdout, "global load GB/s", "%.1f", throughput, count);
    if (all.of[SPACE_SHARED][EVENT_LOAD].bank_conflicts +
            all.of[SPACE_SHARED][EVENT_STORE].bank_conflicts >
        0)
        printf("(of shared wavefronts some 2 %% are warps in each other's way, no conflicts)\n");
    return 0;
}
