/* What the CPU backend does not have, and CUDA does, and what the device may not use of the host's:
 * so that it is refused by its name. */
#ifndef SIMT_REFUSED_H
#define SIMT_REFUSED_H

#include "compile/tokens.h"

/* What a header belongs to and the backend has not, given as it stands between < and > or as a
 * path: "textures" or the like, as the end of a sentence. NULL: nothing is known of it. */
const char *refused_header(const char *name);

/* Looks for the first thing in the source itself (and what it includes, system headers apart) that
 * the backend does not have. Returns NULL, or on the heap a line that names it, and in *at the
 * token that it stands at. names: of the backend's headers, which a program with precompiled ones
 * does not hold. The counts: of the tokens. */
char *refused(const struct token *t, int count, const struct token *names, int name_count, int *at);

/* Where a kernel or __device__ function of the source names a variable of the host's, calls a plain
 * function of the host's or the C library's, throws, catches or uses the heap: says so on stderr, a
 * line for each, as nvcc does. Only what is certain counts: functions of classes do not. names: of
 * the backend's headers, as of refused.h. Returns how many lines. */
int sides_check(const struct token *t, const struct token *names, int name_count);

#endif
