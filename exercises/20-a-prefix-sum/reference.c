/* Exercise 20: the prefix sums of each 256 elements. */
#include "work.h"

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *prefix = elems(w, "prefix");

    for (size_t i = 0; i < size(w, "n"); i++)
        prefix[i] = in[i] + (i % 256 > 0 ? prefix[i - 1] : 0);
}
