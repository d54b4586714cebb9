/* Exercise 02: the largest element of each row of 32. */
#include "work.h"

/* All are negative: a 0 that nobody has loaded is larger. */
void inputs(struct work *w)
{
    elem_t *in = elems(w, "in");

    for (size_t i = 0; i < 32 * size(w, "rows"); i++)
        in[i] = -(elem_t)(1 + next_random(w->random) % (1 << 20));
}

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *most = elems(w, "most");

    for (size_t row = 0; row < size(w, "rows"); row++) {
        most[row] = in[32 * row];
        for (size_t i = 32 * row; i < 32 * row + 32; i++)
            most[row] = in[i] > most[row] ? in[i] : most[row];
    }
}
