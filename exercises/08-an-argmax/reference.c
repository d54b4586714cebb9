/* Exercise 08: the largest element, and the smallest index at which it is. */
#include "work.h"

/* The largest one is there four times, at any places. */
void inputs(struct work *w)
{
    elem_t *in = elems(w, "in");
    size_t n = size(w, "n");
    int highest = (int)(next_random(w->random) % 2000) - 1000;

    for (size_t i = 0; i < n; i++)
        in[i] = (elem_t)(highest - 1 - (int)(next_random(w->random) % 1000));
    for (int copy = 0; copy < 4; copy++)
        in[next_random(w->random) % n] = (elem_t)highest;
}

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    int at = 0;

    for (size_t i = 1; i < size(w, "n"); i++)
        at = in[i] > in[at] ? (int)i : at;
    elems(w, "max")[0] = in[at];
    ints(w, "at")[0] = at;
}
