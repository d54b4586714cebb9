/* The number that an element stands for. Of most types it is the element; C has none for the two
 * bytes of a half or a bfloat16, of which a sum is a float. */
#ifndef VALUE_H
#define VALUE_H

#include "elem.h"

#if ELEM_TWO_BYTES

/* Exact: a float holds every half and every bfloat16. */
sum_t value_of(elem_t elem);

/* The nearest element; of two that are as near, the even one; infinite where none is so large. */
elem_t elem_of(double value);

#else

static inline sum_t value_of(elem_t elem)
{
    return elem;
}

static inline elem_t elem_of(double value)
{
    return (elem_t)value;
}

#endif
#endif
