/* Runs one CUDA block on the calling OS thread. */
#ifndef SIMT_BLOCK_H
#define SIMT_BLOCK_H

#include "run/lane.h"

/* Returns NULL when memory is short. The caller frees with block_free. */
struct block *block_new(void);
void block_free(struct block *block);

/* Runs one block of the launch to its end. A deadlock is told to the observer and ends the program.
 */
void block_run(struct block *block, const struct launch *launch, uint3 index);

#endif
