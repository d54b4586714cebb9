/* The host's own arrays, as far as the compiler knows their sizes at a call (simt_host_sides). */
#ifndef SIMT_HOST_H
#define SIMT_HOST_H

#include <stddef.h>

/* How many bytes there are from the address on in the host's array that it lies in; SIZE_MAX: that
 * is not known. Any thread may ask. */
size_t host_bytes_from(const void *address);

#endif
