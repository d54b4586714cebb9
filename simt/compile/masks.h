/* Masks that __activemask() gave and the program never looks at: it cannot know whom they name. */
#ifndef SIMT_MASKS_H
#define SIMT_MASKS_H

#include "compile/tokens.h"

/* Does token i begin a call of a shuffle or of __syncwarp whose mask is such a one? *first and
 * *last are then the mask's tokens. */
bool masks_unseen(const struct token *t, int i, int *first, int *last);

#endif
