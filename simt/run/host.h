/* Inside the CPU backend: the host's own arrays, as far as their sizes are known for certain.
 *
 * Known are the program's global and static variables, by its symbol table; blocks that its code
 * gets by malloc, calloc, realloc and new; and those whose size the compiler sees at a call
 * (simt_host_sides). */
#ifndef SIMT_HOST_H
#define SIMT_HOST_H

#include <stddef.h>

/* How many bytes there are from the address on in the host's array that it lies in; SIZE_MAX: that
 * is not known. In `what` what array it is, in a few words. Any thread may ask. */
size_t host_bytes_from(const void *address, char *what, size_t room);

/* The program has got a block, from malloc or the like. Returns ptr, which may be NULL. Any thread
 * may call it. That the block is freed is seen wherever it happens. */
void *host_allocated(void *ptr, size_t size);

#endif
