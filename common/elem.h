/* The element type of a build: int unless make was told TYPE=float or TYPE=double. */
#ifndef ELEM_H
#define ELEM_H

#ifndef TYPE
#define TYPE int
#endif

typedef TYPE elem_t;

#define ELEM_STRING(x)    #x
#define ELEM_STRING_OF(x) ELEM_STRING(x)
#define ELEM_NAME         ELEM_STRING_OF(TYPE)
#define ELEM_IS_INT       ((elem_t)0.5 == 0)

#endif
