/* The element type of a build, and that of a sum of elements: int unless make was told TYPE=float
 * or TYPE=double, and for both the same. A program that says so (TYPES in its make.mk) takes
 * TYPE=half and TYPE=bfloat16: to the harness their elements are two bytes, and their sums are
 * floats. */
#ifndef ELEM_H
#define ELEM_H

#ifndef TYPE
#define TYPE int
#endif

#define ELEM_JOIN(a, b)    a##b
#define ELEM_JOINED(a, b)  ELEM_JOIN(a, b)
#define ELEM_KIND_half     1
#define ELEM_KIND_bfloat16 2
#define ELEM_TWO_BYTES     ELEM_JOINED(ELEM_KIND_, TYPE)
#define ELEM_IS_HALF       (ELEM_TWO_BYTES == ELEM_KIND_half)

#if ELEM_TWO_BYTES /* 0 where TYPE is none of these */
typedef struct {
    unsigned short bits;
} elem_t;
typedef float sum_t;
#else
typedef TYPE elem_t;
typedef elem_t sum_t;
#endif

#define ELEM_STRING(x)    #x
#define ELEM_STRING_OF(x) ELEM_STRING(x)
#define ELEM_NAME         ELEM_STRING_OF(TYPE)
#define ELEM_IS_INT       ((sum_t)0.5 == 0)

#endif
