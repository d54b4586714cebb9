/* Atomic operations and fences, called by kernels (simt_device.h). */
#ifndef SIMT_ATOMIC_H
#define SIMT_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/* Does the program's code have fences anywhere? If not, atomics order nothing. */
bool atomic_program_has_fences(void);

/* And any whose scope is the block? */
bool atomic_program_has_block_fences(void);

/* Was the last operation on this word of global memory, in a launch that had one, made by this
 * block and, unless thread is negative, this thread of it? Only in programs without fences; false
 * where another word has taken its place in a table. */
bool atomic_last_was(const void *word, uint32_t block, int thread);

#endif
