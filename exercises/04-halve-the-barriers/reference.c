/* Exercise 04: the sum of all elements, and of their squares. */
#include "work.h"

/* So small that floats, too, are exact in any order: below 50 * n. */
void inputs(struct work *w)
{
    elem_t *in = elems(w, "in");

    for (size_t i = 0; i < size(w, "n"); i++)
        in[i] = (elem_t)((int)(next_random(w->random) % 8) * 2 - 7);
}

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");

    for (size_t i = 0; i < size(w, "n"); i++) {
        elems(w, "sum")[0] += in[i];
        elems(w, "squares")[0] += in[i] * in[i];
    }
}
