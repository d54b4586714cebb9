/* What the CPU backend does not have, and CUDA does, and what the device may not use of the host's:
 * so that it is refused by its name. */
#ifndef SIMT_REFUSED_H
#define SIMT_REFUSED_H

#include "compile/tokens.h"

#define LOOK "; see \"What it takes\" in simt/README.md"

/* What a header belongs to and the backend has not, given as it stands between < and > or as a
 * path: "textures" or the like, as the end of a sentence. NULL: nothing is known of it. */
const char *refused_header(const char *name);

/* A program's tokens, with an EDGE at either end, and those that name what precompiled headers
 * hold: see simtcc --precompile. */
struct source {
    struct token *t, *names;
    int count, name_count;
};

/* Is the word at i in one of the system's headers, whose name begins so? */
bool is_named(const struct source *s, int i, const char *header);

/* Looks for the first thing in the source itself (and what it includes, system headers apart) that
 * the backend does not have. Returns whether there is one: a line on stderr then names it. */
bool refused(const struct source *s);

/* Where a kernel or __device__ function of the source names a variable of the host's, calls a plain
 * function of the host's or the C library's, or uses the heap: says so on stderr, a line for each,
 * as nvcc does. Only what is certain counts: functions of classes do not. Returns how many lines.
 */
int sides_check(const struct source *s);

#endif
