/* The structures that a program defines, from its debug information. */
#ifndef SIMT_TYPES_H
#define SIMT_TYPES_H

#include <stdbool.h>

/* May an access of size bytes be the copy of a structure, class or union of the program's own?
 * CUDA's vector types are none, nor are the libraries'. True also when the debug information cannot
 * be read. */
bool types_may_be_structure(unsigned size);

#endif
