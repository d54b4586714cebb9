/* Finds calls that the rewriter sends through functions of the backend. */
#ifndef SIMT_CALLS_H
#define SIMT_CALLS_H

#include "compile/tokens.h"

#include <stdbool.h>

/* g++ has no hook where a call stores the structure that it returns. In a kernel nearly all calls
 * are inlined (__attribute__((flatten))); the results of others, by pointer or recursive, and of
 * all in a program for --strict, are sent through ::simt::value when they are assigned to memory:
 * it makes a copy of them, with hooks. What is no structure passes unchanged. */
void values_show(struct token *t, int count);

/* The symbol (judge/garbage.c) of a source that defines structures, classes or unions of its own, or
 * uses the libraries' (float4); NULL: it has none. */
const char *values_symbol(const struct token *t, int count);

/* Does token i begin a call of a shuffle or of __syncwarp whose mask __activemask() gave, and the
 * program never looks at? It cannot know whom it names. *first and *last are then the mask's
 * tokens. */
bool masks_unseen(const struct token *t, int i, int *first, int *last);

/* Does token i begin a call whose result the program throws away: one that is a whole statement, or
 * one of several with commas between? *end is its closing parenthesis. (void) in front says that
 * the program does not want to know. */
bool result_is_discarded(const struct token *t, int i, int *end);

/* Does token i begin a call whose result goes into a variable that gets the result of another call
 * of CUDA's next, with no call or branch between but launches? *end as above. */
bool result_is_overwritten(const struct token *t, int i, int *end);

#endif
