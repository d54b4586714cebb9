/* The structures of a program: the rewriter leaves a symbol (compile/calls.h). */
#ifndef SIMT_TYPES_H
#define SIMT_TYPES_H

#include <stdbool.h>

extern const char simt_structures[] __attribute__((weak)); /* of its own */
extern const char simt_structures_of_library[] __attribute__((weak));
extern const char simt_strict[] __attribute__((weak)); /* simtcc --strict */

/* May an access be the copy of a structure, class or union of the program's own? CUDA's vector
 * types are none, nor are the libraries'. */
static inline bool types_may_be_structure(void)
{
    return simt_structures != 0;
}

/* May a function return a structure, CUDA's vector types among them, and g++ not have inlined it?
 * It has no hook for the store. */
static inline bool types_may_return_structure(void)
{
    return simt_strict && (simt_structures || simt_structures_of_library);
}

#endif
