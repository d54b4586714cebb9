/* Do all threads of a block come to the same __syncthreads? */
#ifndef SIMT_BARRIER_H
#define SIMT_BARRIER_H

#include "run/lane.h"

/* What one OS thread keeps of the block that it runs; all zero at first. */
struct barrier {
    bool diverged;          /* told already: later barriers only show the consequences */
    bool judged[MAX_LANES]; /* it has ended, and barrier_check has looked at where */
};

void barrier_block_begin(struct barrier *barrier, const struct block *block);

/* All living threads of the block have come to a barrier: first before all others, elsewhere to
 * another one (NULL: none did). A divergent barrier becomes a finding. */
void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first,
                   const struct lane *elsewhere);

#endif
