/* Keeps what was counted, launch by launch. */
#include "watch/launches.h"
#include "run/end.h"
#include "simt.h"

#include <stdlib.h>

static struct counted_launch *launches;
static size_t launch_count;

void launches_add(const struct launch *launch, struct count_table table)
{
    struct counted_launch *larger = realloc(launches, (launch_count + 1) * sizeof *larger);

    if (!larger)
        end_fatal("no memory for counters");
    launches = larger;
    launches[launch_count++] = (struct counted_launch){launch->grid, launch->block, table};
}

unsigned long long simt_busiest_warp(void)
{
    unsigned long long sum = 0;

    for (size_t i = 0; i < launch_count; i++)
        sum += launches[i].table.busiest;
    return sum;
}

const struct counted_launch *launches_all(size_t *count)
{
    *count = launch_count;
    return launches;
}
