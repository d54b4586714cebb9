/* simt-rewrite: calls of CUDA's whose result nobody looks at. */
#ifndef SIMT_RESULTS_H
#define SIMT_RESULTS_H

#include "compile/tokens.h"

#include <stdbool.h>

/* Does token i begin a call whose result the program throws away: one that is a whole statement, or
 * one of several with commas between? *end is its closing parenthesis. (void) in front says that
 * the program does not want to know. */
bool result_is_discarded(const struct token *t, int i, int *end);

/* Does token i begin a call whose result goes into a local variable that gets the result of another
 * call of CUDA's, in the same block, without being named in between? *end as above. Only where
 * nothing in between leaves the block, and nobody could have another way to the variable. */
bool result_is_overwritten(const struct token *t, int i, int *end);

#endif
