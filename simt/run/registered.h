/* Host memory that is registered (cudaHostRegister), which kernels may use where the program has
 * it. A stretch of the device's mapping that nobody may touch stands for it word by word, its
 * shadow. */
#ifndef SIMT_REGISTERED_H
#define SIMT_REGISTERED_H

#include <stdbool.h>
#include <stdint.h>

/* The shadow begins on such a boundary, and stands for memory from the last one on that lies in
 * front of the registered memory. */
enum { REGISTERED_GRANULE = 512 };

struct registered {
    uintptr_t begin, end;
    char *shadow;
};

/* What is registered and overlaps [begin, end). False if nothing does. */
bool registered_find(uintptr_t begin, uintptr_t end, struct registered *found);

/* The address in the shadow that stands for one in registered memory; NULL for any other. */
const void *registered_shadow(const void *address);

/* Adds what overlaps nothing, false when memory is short; and takes off what begins there. */
bool registered_add(struct registered memory);
void registered_remove(uintptr_t begin);

#endif
