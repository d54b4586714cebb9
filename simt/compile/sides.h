/* The host's variables and functions, and the device's code that may not use them. */
#ifndef SIMT_SIDES_H
#define SIMT_SIDES_H

#include "compile/tokens.h"

/* Where a kernel or __device__ function of the source reads a variable of the host's, calls a plain
 * function of the host's, throws or catches: says so on stderr, a line for each, as nvcc does. Only
 * what is certain counts. dump: as of references.h, and changed; names: of the backend's headers,
 * as of refused.h. Returns how many lines. */
int sides_check(const struct token *t, const struct token *names, int name_count, char *dump);

#endif
