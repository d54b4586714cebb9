/* The structures that a program defines, from its debug information. */
#ifndef SIMT_TYPES_H
#define SIMT_TYPES_H

#include <stdbool.h>

/* May an access of size bytes be the copy of a structure, class or union of the program's own?
 * CUDA's vector types are none, nor are the libraries'. True also when the debug information cannot
 * be read. */
bool types_may_be_structure(unsigned size);

/* May a function that g++ has not inlined everywhere return a structure, class or union, CUDA's
 * vector types among them? g++ has no hook for the store of what a call returns. The libraries' own
 * functions do not count. True also when the debug information cannot be read. */
bool types_may_return_structure(void);

#endif
