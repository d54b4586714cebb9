/* Exercise 17: the transpose. */
#include "work.h"

void reference(struct work *w)
{
    const elem_t *in = elems(w, "in");
    elem_t *out = elems(w, "out");
    size_t rows = size(w, "rows"), cols = size(w, "cols");

    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            out[c * rows + r] = in[r * cols + c];
}
