/* The counters that Nsight Compute read, as the table that the CPU backend prints of its own: reads
 * what nsight.py writes for it, the number of launches and a title, and then rows
 *
 *     launch grid threads metric value
 *
 * launch 0 being all of them together, and prints the table, write-up 0's further figures at its
 * end. A row that is none of these is told in one line, exit status 1. */
#include "watch/table.h"

#include <string.h>

/* Of all launches together and of those that are shown. */
static struct table_launch launches[1 + TABLE_LAUNCHES];
static double instructions[1 + TABLE_LAUNCHES], throughput[1 + TABLE_LAUNCHES];

/* Sets one figure; false if there is none of this name. */
static bool take(size_t launch, const char *metric, double value)
{
    if (strcmp(metric, "instructions_per_warp") == 0)
        instructions[launch] = value;
    else if (strcmp(metric, "global_load_throughput") == 0)
        throughput[launch] = value / 1e9;
    else
        return totals_set(&launches[launch].totals, metric, value);
    return true;
}

int main(void)
{
    char title[200] = "", metric[64] = "";
    size_t count, launch;
    struct table_launch size;
    double value;
    int read = scanf("%zu %199[^\n]", &count, title) == 2 ? 5 : 0;

    while (read == 5 && (read = scanf("%zu %39s %39s %63s %lf", &launch, size.grid, size.block,
                                      metric, &value)) == 5) {
        if (launch > TABLE_LAUNCHES)
            continue;
        memcpy(launches[launch].grid, size.grid, sizeof size.grid);
        memcpy(launches[launch].block, size.block, sizeof size.block);
        if (!take(launch, metric, value))
            read = 0;
    }
    if (read != EOF) {
        fprintf(stderr, "nsight-table: not a row of nsight.py, at or after '%s'\n", metric);
        return 1;
    }

    const struct counter *shared = launches[0].totals.of[SPACE_SHARED];
    printf("%s\n", title);
    table_print(stdout, launches + 1, count, &launches[0].totals);
    table_print_rate(stdout, "instructions per warp", "%.2f", instructions + 1, count);
    table_print_rate(stdout, "global load GB/s", "%.1f", throughput + 1, count);
    if (shared[EVENT_LOAD].bank_conflicts + shared[EVENT_STORE].bank_conflicts > 0)
        printf("(about 2 %% of shared wavefronts are warps that delay each other, no conflicts)\n");
    return 0;
}
