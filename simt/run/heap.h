/* The device's heap: malloc and free, new and delete in kernels.
 *
 * Its blocks lie in one stretch of the device's mapping, eight times as large as the limit that
 * cudaLimitMallocHeapSize sets: what was freed is not handed out again while there is room behind
 * the last block, so that a use after free is one. A free happens at once, while what lanes have
 * logged is looked at later: whether an access is allowed is to be asked when it is made. */
#ifndef SIMT_HEAP_H
#define SIMT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stretch; size 0 until the first block was wanted. */
extern struct heap_stretch {
    uintptr_t begin;
    size_t size;
} heap_stretch;

static inline bool heap_has(uintptr_t address)
{
    return address - heap_stretch.begin < heap_stretch.size;
}

/* Does [address, address + size), in the stretch, lie in one block that is not free? */
bool heap_allows(uintptr_t address, size_t size);

/* A sentence on where an address of the stretch lies that is not allowed. */
void heap_describe(uintptr_t address, size_t size, char *text, size_t room);

/* The heap's addresses were all in use once, and what one thread had freed was given to another:
 * accesses of the two look like a race. */
bool heap_is_mixed(void);

#endif
