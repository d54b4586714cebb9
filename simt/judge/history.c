/* Arrays of what a launch kept. */
#include "judge/history.h"

#include <stdlib.h>

bool history_add(struct history *h, const struct past *past)
{
    if (h->pasts == h->room) {
        size_t room = h->room ? 2 * h->room : 64;
        struct past *larger = realloc(h->past, room * sizeof *larger);
        if (!larger)
            return false;
        h->past = larger;
        h->room = room;
    }
    h->past[h->pasts++] = *past;
    return true;
}

size_t history_sync_at(const struct history *h, uint64_t position)
{
    size_t low = 0, high = h->syncs;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->sync[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
