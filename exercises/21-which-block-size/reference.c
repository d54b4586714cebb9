/* Exercise 21: the sum of all elements. */
#include "work.h"

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *total = elems(w, "total");

    for (size_t i = 0; i < size(w, "n"); i++)
        total[0] += in[i];
}
