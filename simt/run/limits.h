/* Inside the CPU backend: what a launch may ask for, of the device and of its kernel. */
#ifndef SIMT_LIMITS_H
#define SIMT_LIMITS_H

#include "run/facts.h"
#include "simt_device.h"

#include <stddef.h>

/* cudaSuccess, or CUDA's error of a launch with this configuration; why is kept (error_refuse).
 * kernel: its function, NULL if that is not known. Of static shared memory what the kernel itself
 * declares is known, of what functions that it calls declare nothing. */
cudaError_t limits_check(const struct simt_site *site, const void *kernel, dim3 grid, dim3 block,
                         size_t shared);

/* Of a kernel's block what the kernel itself decides, as far as it is known: its static shared
 * memory, as above, and its registers (simt_set_registers); threads is 0. */
struct block_needs limits_needs(const void *kernel);

/* The most threads of a block that it may be launched with. */
unsigned limits_threads(const void *kernel);

#endif
