/* Exercise 07: the largest element. */
#include "work.h"

/* Of an odd number of elements all are negative, of floats below every int: whoever begins with a
 * number of his own is found out. */
void inputs(struct work *w)
{
    elem_t *in = elems(w, "in");
    elem_t unit = ELEM_IS_INT ? 1 : (elem_t)1e9;
    int highest = size(w, "n") % 2 == 1 ? -4 : 1 << 19;

    for (size_t i = 0; i < size(w, "n"); i++)
        in[i] = unit * (elem_t)(highest - (int)(next_random(w->random) % (1 << 20)));
}

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *max = elems(w, "max");

    max[0] = in[0];
    for (size_t i = 1; i < size(w, "n"); i++)
        max[0] = in[i] > max[0] ? in[i] : max[0];
}
