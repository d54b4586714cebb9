/* Atomic operations and fences, called by kernels (simt_device.h). */
#ifndef SIMT_ATOMIC_H
#define SIMT_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

/* Does the program's code have fences anywhere? If not, atomics order nothing. */
bool atomic_program_has_fences(void);

/* The next number in the order of all operations that other threads can rely on. */
uint64_t atomic_next_number(void);

#endif
