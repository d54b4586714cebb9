/* Exercise 09: the sum of all products. */
#include "work.h"

void reference(struct work *w)
{
    const elem_t *a = elems(w, "a"), *b = elems(w, "b");
    elem_t *dot = elems(w, "dot");

    for (size_t i = 0; i < size(w, "n"); i++)
        dot[0] += a[i] * b[i];
}
