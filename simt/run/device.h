/* What the device claims to be. */
#ifndef SIMT_DEVICE_LIMITS_H
#define SIMT_DEVICE_LIMITS_H

#include <stddef.h>

/* The number of multiprocessors is fixed, so that a program launches
 * the same grid on every computer. Compute capability 8.0 has every instruction that the backend
 * has. */
enum {
    DEVICE_MULTIPROCESSORS = 16,
    DEVICE_MAJOR = 8,
    DEVICE_MINOR = 0,
    DEVICE_THREADS_PER_BLOCK = 1024,
    DEVICE_THREADS_PER_MULTIPROCESSOR = 2048,
    DEVICE_BLOCKS_PER_MULTIPROCESSOR = 32,
    DEVICE_SHARED_PER_BLOCK = 48 * 1024,
    DEVICE_SHARED_OPTIN = 96 * 1024,
    DEVICE_L2_BYTES = 4 * 1024 * 1024
};

/* Blocks of so many threads and bytes of dynamic shared memory that the device holds at once. An
 * upper bound: registers and static shared memory are not known. */
size_t device_blocks_at_once(unsigned threads, size_t shared);

#endif
