/* Exercise 15: the sum of all elements. */
#include "work.h"

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *sum = elems(w, "result");

    for (size_t i = 0; i < size(w, "n"); i++)
        sum[0] += in[i];
}
