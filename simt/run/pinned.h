/* Host memory that kernels may use: pinned (cudaMallocHost, cudaHostAlloc), which lies in the
 * device's mapping, and registered (cudaHostRegister), which lies where the program has it. Word for
 * word a stretch of the mapping that nobody may touch stands for it, its shadow. */
#ifndef SIMT_PINNED_H
#define SIMT_PINNED_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of the registered memory that address lies in. False if it lies in none. */
bool pinned_registered(const void *address, uintptr_t *begin, uintptr_t *end);

/* The address in the mapping that stands for one in registered memory; NULL for any other. */
const void *pinned_shadow(const void *address);

#endif
