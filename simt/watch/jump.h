/* Finds the jump at the end of a basic block, so that a branch is shown at its own source line. */
#ifndef SIMT_JUMP_H
#define SIMT_JUMP_H

#include <stdint.h>

/* from: the last hook in the block; targets: the hooks at the begin of the two blocks it leads to.
 * All are offsets of return addresses, as in event.h. Returns the offset behind the conditional
 * jump, to be looked up like a return address, or, where it cannot be found, from. */
uint32_t jump_place(uint32_t from, const uint32_t targets[2]);

#endif
