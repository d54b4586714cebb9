/* Sorted ranges. */
#include "judge/spans.h"
#include "run/end.h"

#include <stdlib.h>

static void append(struct spans *set, struct span span)
{
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 4;
        set->span = realloc(set->span, set->room * sizeof *set->span);
        if (!set->span)
            end_fatal("no memory to note accesses; SIMT_CHECKS=off runs without");
    }
    set->span[set->count++] = span;
}

void spans_add(struct spans *set, struct span span)
{
    struct span *last = set->count ? &set->span[set->count - 1] : NULL;

    if (!last || span.begin > last->end)
        append(set, span);
    else if (span.end > last->end)
        last->end = span.end;
}

void spans_join(struct spans *set, const struct spans *more)
{
    struct spans both = {NULL, 0, 0};
    size_t i = 0, k = 0;

    while (i < set->count || k < more->count)
        if (k == more->count || (i < set->count && set->span[i].begin <= more->span[k].begin))
            spans_add(&both, set->span[i++]);
        else
            spans_add(&both, more->span[k++]);
    spans_free(set);
    *set = both;
}

/* The first span that ends behind the byte; their number if none does. */
static size_t first_behind(const struct spans *set, size_t byte)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (set->span[middle].end > byte)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool spans_meet(const struct spans *a, const struct spans *b, struct span *common)
{
    const struct spans *few = a->count <= b->count ? a : b, *many = few == a ? b : a;

    for (size_t i = 0; i < few->count; i++) {
        struct span own = few->span[i];
        size_t k = first_behind(many, own.begin);
        if (k == many->count || many->span[k].begin >= own.end)
            continue;
        struct span other = many->span[k];
        common->begin = own.begin > other.begin ? own.begin : other.begin;
        common->end = own.end < other.end ? own.end : other.end;
        return true;
    }
    return false;
}

void spans_free(struct spans *set)
{
    free(set->span);
    *set = (struct spans){NULL, 0, 0};
}
