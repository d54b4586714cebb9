/* Inside the CPU backend: device memory, and which pointers lie in it. */
#ifndef SIMT_MEMORY_H
#define SIMT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* True when the address lies in the device's mapping, allocated or not. */
bool memory_is_device(const void *address);

/* True when all of [address, address + size) lies in one live allocation. */
bool memory_is_allocated(const void *address, size_t size);

#endif
