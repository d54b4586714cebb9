/* The operator of a build: the sum unless make was told OP=max, OP=min or OP=prod. */
#ifndef OP_H
#define OP_H

#include "elem.h"

enum op { OP_sum, OP_max, OP_min, OP_prod }; /* spelled as make's OP=max spells them */

#ifndef OP
#define OP OP_sum
#endif

#define OP_NAME (&ELEM_STRING_OF(OP)[3]) /* without "OP_" */

#endif
