/* Exercise 06: the smallest and the largest of each 512 elements. */
#include "work.h"

/* All of them positive, or all negative: a 0 of a lane's own is found out. */
void inputs(struct work *w)
{
    elem_t *in = elems(w, "in");
    int low = size(w, "n") % 2 == 1 ? 1 : -(1 << 20);

    for (size_t i = 0; i < size(w, "n"); i++)
        in[i] = (elem_t)(low + (int)(next_random(w->random) % (1 << 20)));
}

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *least = elems(w, "least"), *most = elems(w, "most");

    for (size_t i = 0; i < size(w, "n"); i++) {
        size_t b = i / 512;
        least[b] = i % 512 == 0 || in[i] < least[b] ? in[i] : least[b];
        most[b] = i % 512 == 0 || in[i] > most[b] ? in[i] : most[b];
    }
}
