/* The host's variables and functions, and the device's code that may not use them. */
#ifndef SIMT_SIDES_H
#define SIMT_SIDES_H

#include "compile/tokens.h"

/* Where a kernel or __device__ function of the source names a variable of the host's, calls a plain
 * function of the host's or the C library's, throws, catches or uses the heap: says so on stderr, a
 * line for each, as nvcc does. Only what is certain counts: functions of classes do not. names: of
 * the backend's headers, as of refused.h. Returns how many lines. */
int sides_check(const struct token *t, const struct token *names, int name_count);

#endif
