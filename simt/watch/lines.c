/* Adds counters up by source line. */
#include "watch/lines.h"
#include "run/end.h"
#include "watch/jump.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const struct counted_line *x = a, *y = b;
    int files = strcmp(x->place.file, y->place.file);

    if (files != 0)
        return files;
    if (x->place.line != y->place.line)
        return x->place.line - y->place.line;
    return x->sum.space != y->sum.space ? x->sum.space - y->sum.space : x->sum.kind - y->sum.kind;
}

/* The pc to look up. Of a branch the log knows only the last hook before it. */
static uint32_t place_of(const struct counter *c)
{
    return c->space == SPACE_CONTROL ? jump_place(c->pc, c->target) : c->pc;
}

struct counted_line *lines_of(const struct count_table *table, size_t *count)
{
    struct counted_line *rows = malloc((table->used + 1) * sizeof *rows);
    uint32_t *pcs = calloc(table->used + 1, sizeof *pcs);
    struct source_line *places = malloc((table->used + 1) * sizeof *places);
    size_t n = 0, last = 0;

    if (!rows || !pcs || !places)
        end_fatal("no memory to print counters");
    for (size_t i = 0; i < table->room; i++)
        if (count_is_worth_telling(&table->slot[i])) {
            pcs[n] = place_of(&table->slot[i]);
            rows[n++].sum = table->slot[i];
        }
    source_lines(pcs, n, places);
    for (size_t i = 0; i < n; i++)
        rows[i].place = places[i];
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&rows[last], &rows[i]) == 0)
            count_sum(&rows[last].sum, &rows[i].sum);
        else
            rows[++last] = rows[i];
    free(pcs);
    free(places);
    *count = n ? last + 1 : 0;
    return rows;
}
