/* Prints what was counted, in the style that is asked for. */
#include "simt.h"
#include "watch/launches.h"
#include "watch/table.h"

#include <stdlib.h>

static const char *size_text(dim3 size, char text[40])
{
    return table_size(size.x, size.y, size.z, text);
}

static void print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                      const char *step)
{
    char grid[40], block[40];
    size_t rows;

    fprintf(file, "step,launch,grid,block,file,line,space,op,requests,lanes,sectors,wavefronts,"
                  "bank_conflicts\n");
    for (size_t i = 0; i < count; i++) {
        struct counted_line *row = lines_of(&launches[i].table, &rows);
        for (size_t r = 0; r < rows; r++) {
            const struct counter *c = &row[r].sum;
            fprintf(file, "%s,%zu,%s,%s,%s,%d,%s,%s,%llu,%llu,", step, i + 1,
                    size_text(launches[i].grid, grid), size_text(launches[i].block, block),
                    row[r].place.file, row[r].place.line, count_space_names[c->space],
                    count_operation_names[c->kind], (unsigned long long)c->requests,
                    (unsigned long long)c->lanes);
            if (c->space == SPACE_GLOBAL)
                fprintf(file, "%llu", (unsigned long long)c->sectors);
            if (c->space == SPACE_SHARED)
                fprintf(file, ",%llu,%llu\n", (unsigned long long)c->wavefronts,
                        (unsigned long long)c->bank_conflicts);
            else
                fprintf(file, ",,\n");
        }
        free(row);
    }
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
        print_csv(file, launches, count, step);
    else if (style == SIMT_ANNOTATE)
        annotate_print(file, launches, count);
    else
        print_table(file, launches, count);
}

/* ---- what was counted, launch by launch ---- */

static struct counted_launch *launches;
static size_t launch_count, launch_room;

void launches_add(const struct launch *launch, struct count_table table)
{
    array_room((void **)&launches, launch_count, &launch_room, SIZE_MAX, sizeof *launches);
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
