/* Exercise 16: the sum of all elements, with more digits than an element has. */
#include "work.h"

/* From 1.10 to 4.10. All end in .10, so the sum of a tile lies between two floats that a large
 * total can take, at the same place in each tile: roundings do not cancel out. */
void inputs(struct work *w)
{
    elem_t *in = elems(w, "in");

    for (size_t i = 0; i < size(w, "n"); i++)
        in[i] = (elem_t)(1 + next_random(w->random) % 4 + 0.1);
}

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    double total = 0;

    for (size_t i = 0; i < size(w, "n"); i++)
        total += in[i];
    elems(w, "price")[0] = (elem_t)total;
}
